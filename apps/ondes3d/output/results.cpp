#include "output/results.hpp"

#include <filesystem>

#include "output/peak_files.hpp"
#include "output/pictures.hpp"
#include "output/seismogram_text.hpp"

namespace ondes3d {
namespace {

std::string write_seismograms(const std::filesystem::path& folder, const Recorded& recorded,
                              const ResultOptions& options) {
  std::filesystem::create_directories(folder);
  const Case& c = recorded.c;
  for (std::size_t n = 0; n < c.stations.size(); ++n) {
    const std::string stem = (folder / c.stations[n].name.data()).string();
    if (options.text) {
      write_seismogram(stem + ".txt", c.stations[n], c, recorded.traces[n],
                       recorded.bytes_per_value == sizeof(double) ? 17 : 9);
    }
    if (options.sac) {
      write_sac(stem, c, c.stations[n], recorded.traces[n], options.origin);
    }
  }
  const std::size_t files = c.stations.size() * ((options.text ? 1U : 0U) + (options.sac ? 3U : 0U));
  return folder.string() + ": " + std::to_string(files) + " files";
}

}  // namespace

std::vector<std::string> write_results(const std::string& folder, const Recorded& recorded,
                                       const ResultOptions& options) {
  const std::filesystem::path place(folder);
  std::vector<std::string> written;
  if ((options.text || options.sac) && !recorded.c.stations.empty()) {
    written.push_back(write_seismograms(place / "seismograms", recorded, options));
  }
  for (const PlaneResult& result : recorded.planes) {
    const std::string stem = (place / result.plane.file_stem("peak-velocity")).string();
    write_peak_image(stem + ".vti", recorded.c.model.grid, result, recorded.bytes_per_value);
    written.push_back(stem + ".vti");
    if (result.plane.axis == 2) {
      write_peak_grid(stem + ".asc", recorded.c.model.grid, result, recorded.bytes_per_value);
      written.push_back(stem + ".asc");
    }
  }
  if (options.pictures) {
    const auto paths = write_pictures(folder, recorded);
    written.insert(written.end(), paths.begin(), paths.end());
  }
  return written;
}

}  // namespace ondes3d

#include "output/results.hpp"

#include <filesystem>

#include "output/peak_files.hpp"
#include "output/picture_program.hpp"
#include "output/scene.hpp"
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
  return "seismograms/: " + std::to_string(c.stations.size()) + " stations" + (options.text ? ", text" : "") +
         (options.sac ? ", SAC" : "");
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
    const std::string stem = result.plane.file_stem("peak-velocity");
    written.push_back(stem + ".vti");
    write_peak_image((place / written.back()).string(), recorded.c.model.grid, result, recorded.bytes_per_value);
    if (result.plane.axis == 2) {
      written.push_back(stem + ".asc");
      write_peak_grid((place / written.back()).string(), recorded.c.model.grid, result, recorded.bytes_per_value);
    }
  }
  written.emplace_back(kSceneFile);
  write_scene((place / kSceneFile).string(), recorded);
  if (!options.pictures.formats.empty()) {
    const auto names = draw_pictures(folder, options.launched, options.pictures);
    written.insert(written.end(), names.begin(), names.end());
  }
  return written;
}

}  // namespace ondes3d

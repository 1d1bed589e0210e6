#include "output/results.hpp"

#include <filesystem>

#include "output/pictures.hpp"
#include "output/seismogram_text.hpp"

namespace ondes3d {

std::vector<std::string> write_results(const std::string& folder, const Case& c, const Results& results,
                                       bool pictures) {
  const std::filesystem::path place(folder);
  std::filesystem::create_directories(place / "seismograms");
  for (std::size_t n = 0; n < c.stations.size(); ++n) {
    const auto path = place / "seismograms" / (std::string(c.stations[n].name.data()) + ".txt");
    write_seismogram(path.string(), c.stations[n], c, results.traces[n]);
  }
  std::vector<std::string> written{(place / "seismograms").string() + ": " + std::to_string(c.stations.size()) +
                                   " files"};
  if (pictures) {
    const auto paths = write_pictures(folder, c, results);
    written.insert(written.end(), paths.begin(), paths.end());
  }
  return written;
}

}  // namespace ondes3d

#include "output/pictures.hpp"

#include <filesystem>

#include "output/canvas.hpp"
#include "output/record_section.hpp"
#include "output/surface_map.hpp"

namespace ondes3d {

std::vector<std::string> write_pictures(const std::string& folder, const Case& c, const Results& results) {
  if (!can_write_png()) {
    return {"no pictures: this build has no libpng"};
  }
  std::vector<std::string> paths;
  const auto write = [&](const char* name, const Canvas& canvas) {
    paths.push_back((std::filesystem::path(folder) / name).string());
    write_png(paths.back(), canvas);
  };
  if (!c.stations.empty()) {
    write("seismograms.png", record_section(c, results.traces));
  }
  write("peak-velocity.png", peak_velocity_map(c, results.peak_velocity));
  if (!results.snapshots.empty()) {
    write("wave-field.png", wave_field(c, results.snapshots));
  }
  return paths;
}

}  // namespace ondes3d

#include "output/pictures.hpp"

#include <filesystem>

#include "output/canvas.hpp"
#include "output/plane_pictures.hpp"
#include "output/record_section.hpp"

namespace ondes3d {

std::vector<std::string> write_pictures(const std::string& folder, const Recorded& recorded) {
  if (!can_write_png()) {
    return {"no pictures: this build has no libpng"};
  }
  std::vector<std::string> paths;
  const auto write = [&](const std::string& stem, const Canvas& canvas) {
    paths.push_back((std::filesystem::path(folder) / (stem + ".png")).string());
    write_png(paths.back(), canvas);
  };
  if (!recorded.c.stations.empty()) {
    write("seismograms", record_section(recorded.c, recorded.traces));
  }
  for (const PlaneResult& result : recorded.planes) {
    write(result.plane.file_stem("peak-velocity"), peak_velocity_picture(recorded.c, result));
    if (!result.snapshots.empty()) {
      write(result.plane.file_stem("wave-field"), wave_field_picture(recorded.c, result));
    }
  }
  return paths;
}

}  // namespace ondes3d

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
  std::vector<std::string> names;
  const auto write = [&](const std::string& stem, const Canvas& canvas) {
    names.push_back(stem + ".png");
    write_png((std::filesystem::path(folder) / names.back()).string(), canvas);
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
  return names;
}

}  // namespace ondes3d

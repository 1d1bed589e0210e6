#include <bit>
#include <cmath>
#include <span>

#include "output/out_file.hpp"
#include "output/results.hpp"
#include "output/scene.hpp"
#include "physics/ray.hpp"

namespace ondes3d {
namespace {

double arrival(const Case& c, const Vec3& station, Wave wave) {
  if (c.model.layers.empty()) {
    return kNoArrival;
  }
  const double time = direct_time(c.model.layers, c.hypocentre, station, wave);
  return std::isfinite(time) ? time : kNoArrival;
}

std::string stations_text(const Recorded& recorded) {
  const Case& c = recorded.c;
  std::string text = format("stations %zu %zu\n", c.stations.size(),
                            recorded.traces.empty() ? std::size_t{0} : recorded.traces.front().size());
  for (const Station& station : c.stations) {
    const Vec3& p = station.position;
    text += format("station %.17g %.17g %.17g %.9g %.9g %s\n", p[0], p[1], p[2], arrival(c, p, Wave::kP),
                   arrival(c, p, Wave::kS), station.name.data());
  }
  return text;
}

std::string planes_text(const std::vector<PlaneResult>& planes) {
  std::string text = format("planes %zu\n", planes.size());
  for (const PlaneResult& result : planes) {
    const auto& [name, axis, lattice] = result.plane;
    text += format("plane %s %d %d %d %d %d %d %d %zu", name.c_str(), axis, lattice.first[0], lattice.first[1],
                   lattice.first[2], lattice.count[0], lattice.count[1], lattice.count[2], result.snapshots.size());
    for (const auto& snapshot : result.snapshots) {
      text += format(" %.9g", snapshot.time);
    }
    text += "\n";
  }
  return text;
}

std::string head(const Recorded& recorded) {
  const Case& c = recorded.c;
  const Grid& grid = c.model.grid;
  std::string text = format("ondes3d-pictures 1 %s\ncells %d %d %d %d\n", kByteOrder, grid.cells[0], grid.cells[1],
                            grid.cells[2], grid.cpml);
  text += format("grid %.17g %.17g %d %.17g %.17g %.17g\n", grid.spacing, grid.timestep, grid.steps, grid.corner[0],
                 grid.corner[1], grid.corner[2]);
  text += format("hypocentre %.17g %.17g %.17g\npanels %d\n", c.hypocentre[0], c.hypocentre[1], c.hypocentre[2],
                 recorded.panels);
  const std::size_t roofs = c.geology ? 0 : c.model.layers.size();
  text += format("roofs %zu", roofs);
  for (std::size_t n = 0; n < roofs; ++n) {
    text += format(" %.17g", c.model.layers[n].roof);
  }
  return text + "\n" + stations_text(recorded) + planes_text(recorded.planes) + "values\n";
}

}  // namespace

void write_scene(const std::string& path, const Recorded& recorded) {
  OutFile file(path);
  file.write(head(recorded));
  const auto write = [&](const auto& values) {
    const std::vector<float> narrow(values.begin(), values.end());
    file.write(std::as_bytes(std::span(narrow)));
  };
  for (const Trace& trace : recorded.traces) {
    std::vector<float> narrow;
    narrow.reserve(3 * trace.size());
    for (const auto& row : trace) {
      narrow.insert(narrow.end(), row.begin(), row.end());
    }
    file.write(std::as_bytes(std::span(narrow)));
  }
  for (const PlaneResult& result : recorded.planes) {
    write(result.peak);
    for (const auto& snapshot : result.snapshots) {
      write(snapshot.up);
    }
  }
  file.close();
}

}  // namespace ondes3d

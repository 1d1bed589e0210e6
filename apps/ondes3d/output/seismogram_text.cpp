#include "output/seismogram_text.hpp"

#include <cmath>

#include "output/out_file.hpp"

namespace ondes3d {

void write_seismogram(const std::string& path, const Station& station, const Case& c, const Trace& trace, int digits) {
  const Vec3& p = station.position;
  const double dt = c.model.grid.timestep;
  OutFile file(path);
  file.write(
      format("# station   %s\n# x y z     %g %g %g m (East, North, up)\n", station.name.data(), p[0], p[1], p[2]));
  file.write(format("# epicentre %.3f km away\n# dt        %g s\n# samples   %zu\n",
                    std::hypot(p[0] - c.hypocentre[0], p[1] - c.hypocentre[1]) / 1000, dt, trace.size()));
  file.write("# time (s)  v East (m/s)  v North (m/s)  v up (m/s)\n");
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const auto& [east, north, up] = trace[n];
    file.write(
        format("%.6f %.*g %.*g %.*g\n", static_cast<double>(n + 1) * dt, digits, east, digits, north, digits, up));
  }
  file.close();
}

}  // namespace ondes3d

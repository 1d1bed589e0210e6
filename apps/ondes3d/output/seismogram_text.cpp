#include "output/seismogram_text.hpp"

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>

namespace ondes3d {

void write_seismogram(const std::string& path, const Station& station, const Case& c, const Trace& trace) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
  if (!file) {
    throw std::runtime_error(path + ": cannot be written");
  }
  const Vec3& p = station.position;
  const double dt = c.model.grid.timestep;
  std::fprintf(file.get(), "# station   %s\n# x y z     %g %g %g m (East, North, up)\n", station.name.data(), p[0],
               p[1], p[2]);
  std::fprintf(file.get(), "# epicentre %.3f km away\n# dt        %g s\n# samples   %zu\n",
               std::hypot(p[0] - c.hypocentre[0], p[1] - c.hypocentre[1]) / 1000, dt, trace.size());
  std::fprintf(file.get(), "# time (s)  v East (m/s)  v North (m/s)  v up (m/s)\n");
  for (std::size_t n = 0; n < trace.size(); ++n) {
    const auto& [east, north, up] = trace[n];
    // Nine digits give a float back bit for bit.
    std::fprintf(file.get(), "%.6f %.9g %.9g %.9g\n", static_cast<double>(n + 1) * dt, static_cast<double>(east),
                 static_cast<double>(north), static_cast<double>(up));
  }
  if (std::ferror(file.get()) != 0) {
    throw std::runtime_error(path + ": cannot be written to the end");
  }
}

}  // namespace ondes3d

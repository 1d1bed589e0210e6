#include "output/peak_files.hpp"

#include "output/out_file.hpp"
#include "output/vti.hpp"

namespace ondes3d {

void write_peak_image(const std::string& path, const Grid& grid, const PlaneResult& result,
                      std::size_t bytes_per_value) {
  const Lattice& lattice = result.plane.lattice;
  const ImageFrame frame{lattice.box(), lattice.origin(grid), lattice.spacing(grid)};
  const char* const name = result.plane.is_ground() ? "peak horizontal velocity" : "peak velocity";
  if (bytes_per_value == sizeof(double)) {
    write_vti(path, frame, frame.whole, {image_array<double>(name, 1, result.peak)});
  } else {
    const std::vector<float> peak(result.peak.begin(), result.peak.end());
    write_vti(path, frame, frame.whole, {image_array<float>(name, 1, peak)});
  }
}

void write_peak_grid(const std::string& path, const Grid& grid, const PlaneResult& result,
                     std::size_t bytes_per_value) {
  const Lattice& lattice = result.plane.lattice;
  const Vec3 corner = lattice.origin(grid);
  const int digits = bytes_per_value == sizeof(double) ? 17 : 9;
  OutFile file(path);
  file.write(format("ncols %d\nnrows %d\nxllcenter %.17g\nyllcenter %.17g\ncellsize %.17g\nNODATA_value -9999\n",
                    lattice.count[0], lattice.count[1], corner[0], corner[1], grid.spacing));
  for (int j = lattice.count[1] - 1; j >= 0; --j) {
    for (int i = 0; i < lattice.count[0]; ++i) {
      const auto at =
          static_cast<std::size_t>(j) * static_cast<std::size_t>(lattice.count[0]) + static_cast<std::size_t>(i);
      file.write(format("%.*g%c", digits, result.peak[at], i + 1 < lattice.count[0] ? ' ' : '\n'));
    }
  }
  file.close();
}

}  // namespace ondes3d

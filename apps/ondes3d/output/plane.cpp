#include "output/plane.hpp"

namespace ondes3d {

std::vector<Plane> planes_of(const Case& c) {
  const Grid& grid = c.model.grid;
  const int ground = grid.cells[2] - 1;
  std::vector<Plane> planes{{"ground", 2, plane_lattice(grid, 2, ground)},
                            {"west-east", 1, plane_lattice(grid, 1, c.planes[1])},
                            {"south-north", 0, plane_lattice(grid, 0, c.planes[0])}};
  if (c.planes[2] != ground) {
    planes.push_back({"level", 2, plane_lattice(grid, 2, c.planes[2])});
  }
  return planes;
}

}  // namespace ondes3d

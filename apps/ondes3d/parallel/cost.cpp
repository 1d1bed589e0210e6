#include "parallel/cost.hpp"

namespace ondes3d {
namespace {

constexpr double kAlongX = 1.3;
constexpr double kAlongYZ = 0.4;

// Cells of `own` in front of the domain along one axis, or behind it.
double slab(const Grid& grid, const Box& own, std::size_t axis, bool low) {
  Box layer = grid.box();
  (low ? layer.hi : layer.lo)[axis] = low ? grid.cpml : grid.cells[axis] - 1 - grid.cpml;
  return static_cast<double>(intersect(layer, own).volume());
}

}  // namespace

Cost cost_of(const Grid& grid, const Box& own) {
  Box core = grid.box();
  core.lo = {grid.cpml, grid.cpml, grid.cpml};
  core.hi[0] -= grid.cpml;
  core.hi[1] -= grid.cpml;
  const double along_x = slab(grid, own, 0, true) + slab(grid, own, 0, false);
  const double along_yz = slab(grid, own, 1, true) + slab(grid, own, 1, false) + slab(grid, own, 2, true);
  return {own.volume(), own.volume() - intersect(own, core).volume(),
          static_cast<double>(own.volume()) + kAlongX * along_x + kAlongYZ * along_yz};
}

}  // namespace ondes3d

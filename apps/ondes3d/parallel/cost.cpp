#include "parallel/cost.hpp"

#include "physics/subdomain.hpp"

namespace ondes3d {
namespace {

constexpr double kAlongX = 3.5;
constexpr double kAlongYZ = 0.85;
constexpr double kWaiting = 0.35;

// Cells of `own` in front of the domain along one axis, or behind it.
double slab(const Grid& grid, const Box& own, std::size_t axis, bool low) {
  if (grid.cpml == 0) {
    return 0;
  }
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
  const auto cells = static_cast<double>(own.volume());
  const double waiting = cells - static_cast<double>(inner_cells(grid, own).volume());
  return {own.volume(), own.volume() - intersect(own, core).volume(),
          cells + kAlongX * along_x + kAlongYZ * along_yz + kWaiting * waiting};
}

}  // namespace ondes3d

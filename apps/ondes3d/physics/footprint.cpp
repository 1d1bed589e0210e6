#include "physics/footprint.hpp"

namespace ondes3d {
namespace {

// Values of the memory variables in front of the domain along one axis, or behind it.
double slab_values(const Grid& grid, const Box& own, std::size_t axis, bool low) {
  Box layer = grid.box();
  (low ? layer.hi : layer.lo)[axis] = low ? grid.cpml : grid.cells[axis] - 1 - grid.cpml;
  const Box cells = intersect(layer, own);
  const int row = (cells.extent(0) + kSlabVector - 1) / kSlabVector * kSlabVector;
  return cells.volume() > 0 ? 6.0 * row * cells.extent(1) * cells.extent(2) : 0;
}

double all_slabs(const Grid& grid, const Box& own) {
  if (grid.cpml == 0) {
    return 0;
  }
  return slab_values(grid, own, 0, true) + slab_values(grid, own, 0, false) + slab_values(grid, own, 1, true) +
         slab_values(grid, own, 1, false) + slab_values(grid, own, 2, true);
}

}  // namespace

double footprint(const Model& model, const Box& own, std::size_t bytes_per_value) {
  const bool lossy = attenuates(model);
  const auto cells = static_cast<double>(own.volume());
  const auto field = static_cast<double>(Layout(own).values);
  double values = 9 * field + all_slabs(model.grid, own);
  values += lossy ? 6 * field : 0;
  values += model.geology ? (lossy ? 13 : 8) * cells : 0;
  return values * static_cast<double>(bytes_per_value);
}

}  // namespace ondes3d

// Cells, boxes of cells and the grid they belong to. x is East, y is North, z is up; x varies fastest in memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace ondes3d {

using Index3 = std::array<int, 3>;
using Vec3 = std::array<double, 3>;

// Half-open ranges of cells, lo <= cell < hi.
struct Box {
  Index3 lo{};
  Index3 hi{};

  [[nodiscard]] int extent(int axis) const {
    const auto a = static_cast<std::size_t>(axis);
    return std::max(0, hi[a] - lo[a]);
  }
  [[nodiscard]] std::size_t volume() const {
    return static_cast<std::size_t>(extent(0)) * static_cast<std::size_t>(extent(1)) *
           static_cast<std::size_t>(extent(2));
  }
  [[nodiscard]] bool contains(const Index3& cell) const {
    return cell[0] >= lo[0] && cell[0] < hi[0] && cell[1] >= lo[1] && cell[1] < hi[1] && cell[2] >= lo[2] &&
           cell[2] < hi[2];
  }
  bool operator==(const Box&) const = default;
};

[[nodiscard]] inline Box intersect(const Box& a, const Box& b) {
  Box both;
  for (std::size_t d = 0; d < 3; ++d) {
    both.lo[d] = std::max(a.lo[d], b.lo[d]);
    both.hi[d] = std::max(both.lo[d], std::min(a.hi[d], b.hi[d]));
  }
  return both;
}

// The same box counted from another corner.
[[nodiscard]] inline Box relative_to(const Box& box, const Index3& corner) {
  Box moved = box;
  for (std::size_t d = 0; d < 3; ++d) {
    moved.lo[d] -= corner[d];
    moved.hi[d] -= corner[d];
  }
  return moved;
}

// The whole grid, absorbing layers included. Node (0, 0, 0) is the lowest corner; the top plane of nodes is the
// free surface, z = 0.
struct Grid {
  Index3 cells{};       // counts, CPML included
  int cpml = 0;         // thickness of the absorbing layers, in cells
  double spacing = 0;   // m
  double timestep = 0;  // s
  int steps = 0;
  Vec3 corner{};  // position of node (0, 0, 0), m

  [[nodiscard]] Box box() const { return {{0, 0, 0}, cells}; }
  // Position in units of cells from node (0, 0, 0).
  [[nodiscard]] Vec3 in_cells(const Vec3& position) const {
    return {(position[0] - corner[0]) / spacing, (position[1] - corner[1]) / spacing,
            (position[2] - corner[2]) / spacing};
  }
  // True within the physical domain: neither in an absorbing layer nor above the ground.
  [[nodiscard]] bool in_domain(const Vec3& position) const {
    const Vec3 at = in_cells(position);
    return at[0] >= cpml && at[0] <= cells[0] - 1 - cpml && at[1] >= cpml && at[1] <= cells[1] - 1 - cpml &&
           at[2] >= cpml && at[2] <= cells[2] - 1;
  }
};

// True in one of the absorbing layers.
[[nodiscard]] inline bool inside_layer(const Grid& grid, const Index3& node) {
  return node[0] < grid.cpml || node[0] >= grid.cells[0] - grid.cpml || node[1] < grid.cpml ||
         node[1] >= grid.cells[1] - grid.cpml || node[2] < grid.cpml;
}

}  // namespace ondes3d

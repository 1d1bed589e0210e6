// In a file of its own, which is optimized where tests are not: their columns are narrow, so half of each step is this.
#include "periodic.hpp"

#include <array>
#include <utility>

namespace ondes3d {

void Periodic::wrap(std::size_t first, std::size_t end) {
  static_assert(kGhost == 2);
  const Layout& layout = state().layout;
  const auto fields = state().all();
  const int nx = layout.cells[0];
  const int ny = layout.cells[1];
  // Ghost and the cell that it repeats.
  const auto pairs = [](int cells) {
    const auto inside = [cells](int n) { return (n + kGhost * cells) % cells; };
    return std::array{std::pair{-2, inside(-2)}, std::pair{-1, inside(-1)}, std::pair{cells, inside(cells)},
                      std::pair{cells + 1, inside(cells + 1)}};
  };
  const auto sides = pairs(nx);
  const auto rows = pairs(ny);
  for (std::size_t f = first; f < end; ++f) {
    for (int k = -kGhost; k < layout.cells[2] + kGhost; ++k) {
      double* const plane = fields[f] + layout.at(0, 0, k);
      const std::ptrdiff_t up = layout.stride[1];
      for (int j = 0; j < ny; ++j) {
        for (const auto& [ghost, cell] : sides) {
          plane[j * up + ghost] = plane[j * up + cell];
        }
      }
      for (const auto& [ghost, cell] : rows) {
        for (int i = -kGhost; i < nx + kGhost; ++i) {
          plane[ghost * up + i] = plane[cell * up + i];
        }
      }
    }
  }
}

}  // namespace ondes3d

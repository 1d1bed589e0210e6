// The grid cut into px x py columns, z whole: pure arithmetic.
#pragma once

#include <optional>
#include <utility>

#include "physics/box.hpp"

namespace ondes3d {

class Decomposition {
 public:
  // Throws std::runtime_error when a column would be thinner than the ghost rim. px and py are above 0.
  Decomposition(const Index3& cells, int px, int py);

  // Cells of a rank; sizes differ by at most one along an axis.
  [[nodiscard]] Box own(int rank) const;
  // The rank dx columns to the east and dy to the north; nothing beyond the grid.
  [[nodiscard]] std::optional<int> neighbour(int rank, int dx, int dy) const;
  // Who owns the column of this cell.
  [[nodiscard]] int owner(int i, int j) const;
  [[nodiscard]] int ranks() const { return px_ * py_; }
  [[nodiscard]] int px() const { return px_; }
  [[nodiscard]] int py() const { return py_; }

 private:
  Index3 cells_;
  int px_;
  int py_;
};

// px, py with px * py = ranks and the shortest common border; a fixed px or py (above 0) is kept. Throws
// std::runtime_error when the fixed ones do not divide the ranks.
[[nodiscard]] std::pair<int, int> choose_columns(int ranks, const Index3& cells, int px, int py);

}  // namespace ondes3d

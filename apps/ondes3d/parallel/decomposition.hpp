// The grid cut into px x py x pz blocks: pure arithmetic.
#pragma once

#include <optional>
#include <string>

#include "physics/box.hpp"

namespace ondes3d {

class Decomposition {
 public:
  // `parts` are px, py, pz, above 0. Throws std::runtime_error when a block would be thinner than the ghost rim, or
  // lower than the free surface needs.
  Decomposition(const Index3& cells, const Index3& parts);

  // Cells of a rank; sizes differ by at most one along an axis.
  [[nodiscard]] Box own(int rank) const;
  // The rank so many blocks to the east, to the north and up; nothing beyond the grid.
  [[nodiscard]] std::optional<int> neighbour(int rank, const Index3& direction) const;
  // Who owns this cell.
  [[nodiscard]] int owner(const Index3& cell) const;
  [[nodiscard]] int ranks() const { return parts_[0] * parts_[1] * parts_[2]; }
  [[nodiscard]] const Index3& parts() const { return parts_; }

 private:
  // Counted in blocks along each axis; ranks run along x first, then y, then z from the bottom up.
  [[nodiscard]] Index3 place(int rank) const;
  [[nodiscard]] int rank_at(const Index3& place) const;

  Index3 cells_;
  Index3 parts_;
};

// "300 x 300 x 150", for messages.
[[nodiscard]] std::string times(const Index3& n);

// px, py, pz with px * py * pz = ranks and the cheapest common border; those fixed in `wanted` (above 0) are kept. Rows
// along x stay whole as long as blocks are not too thin: a cut across them costs as much as ten along them.
// Throws std::runtime_error when the fixed ones do not divide the ranks.
[[nodiscard]] Index3 choose_parts(int ranks, const Index3& cells, const Index3& wanted);

}  // namespace ondes3d

#include "parallel/decomposition.hpp"

#include <stdexcept>
#include <string>

#include "physics/state.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {
namespace {

// What a cut across the rows costs, in cuts along them: it leaves parts of rows, strides to pack, and no room for
// Velocity behind Stress. Measured, 16 and 64 ranks: 14 and 8.
constexpr double kAcrossRows = 10;

// First cell of part n of `parts`.
int cut(int cells, int parts, int n) { return static_cast<int>(static_cast<long long>(cells) * n / parts); }

int part_of(int cell, int cells, int parts) {
  int n = static_cast<int>(static_cast<long long>(cell) * parts / cells);
  while (cut(cells, parts, n + 1) <= cell) {
    ++n;
  }
  return n;
}

bool fits(const Index3& cells, const Index3& parts) {
  return cells[0] / parts[0] >= kGhost && cells[1] / parts[1] >= kGhost &&
         cells[2] / parts[2] >= (parts[2] > 1 ? kLeastLevels : 1);
}

double border(const Index3& cells, const Index3& parts) {
  const auto area = [&](std::size_t d) {
    return static_cast<double>(parts[d]) * cells[(d + 1) % 3] * cells[(d + 2) % 3];
  };
  return kAcrossRows * area(0) + area(1) + area(2);
}

// The best of all ways, {0, 0, 0} when there is none. Blocks that are too thin come last.
Index3 best_parts(int ranks, const Index3& cells, const Index3& wanted) {
  Index3 best{};
  for (int z = 1; z <= ranks; ++z) {
    for (int y = 1; y <= ranks / z; ++y) {
      const Index3 parts{ranks / (y * z), y, z};
      bool allowed = parts[0] * y * z == ranks;
      for (std::size_t d = 0; d < 3; ++d) {
        allowed = allowed && (wanted[d] == 0 || wanted[d] == parts[d]);
      }
      if (!allowed) {
        continue;
      }
      const bool better = fits(cells, parts) != fits(cells, best[0] == 0 ? parts : best)
                              ? fits(cells, parts)
                              : border(cells, parts) < border(cells, best);
      if (best[0] == 0 || better) {
        best = parts;
      }
    }
  }
  return best;
}

}  // namespace

std::string times(const Index3& n) {
  return std::to_string(n[0]) + " x " + std::to_string(n[1]) + " x " + std::to_string(n[2]);
}

Decomposition::Decomposition(const Index3& cells, const Index3& parts) : cells_(cells), parts_(parts) {
  if (!fits(cells, parts)) {
    throw std::runtime_error("found " + times(parts) + " blocks for " + times(cells) + " cells; expected at least " +
                             std::to_string(kGhost) + " cells along x and y and " + std::to_string(kLeastLevels) +
                             " along z in each: start fewer ranks");
  }
}

Index3 Decomposition::place(int rank) const {
  return {rank % parts_[0], rank / parts_[0] % parts_[1], rank / (parts_[0] * parts_[1])};
}

int Decomposition::rank_at(const Index3& place) const {
  return (place[2] * parts_[1] + place[1]) * parts_[0] + place[0];
}

Box Decomposition::own(int rank) const {
  const Index3 at = place(rank);
  Box box;
  for (std::size_t d = 0; d < 3; ++d) {
    box.lo[d] = cut(cells_[d], parts_[d], at[d]);
    box.hi[d] = cut(cells_[d], parts_[d], at[d] + 1);
  }
  return box;
}

std::optional<int> Decomposition::neighbour(int rank, const Index3& direction) const {
  Index3 at = place(rank);
  for (std::size_t d = 0; d < 3; ++d) {
    at[d] += direction[d];
    if (at[d] < 0 || at[d] >= parts_[d]) {
      return std::nullopt;
    }
  }
  return rank_at(at);
}

int Decomposition::owner(const Index3& cell) const {
  Index3 at{};
  for (std::size_t d = 0; d < 3; ++d) {
    at[d] = part_of(cell[d], cells_[d], parts_[d]);
  }
  return rank_at(at);
}

Index3 choose_parts(int ranks, const Index3& cells, const Index3& wanted) {
  const Index3 best = best_parts(ranks, cells, wanted);
  if (best[0] == 0) {
    throw std::runtime_error("found --px " + std::to_string(wanted[0]) + " --py " + std::to_string(wanted[1]) +
                             " --pz " + std::to_string(wanted[2]) +
                             " (0 is free); expected px x py x pz = " + std::to_string(ranks) + " ranks");
  }
  return best;
}

}  // namespace ondes3d

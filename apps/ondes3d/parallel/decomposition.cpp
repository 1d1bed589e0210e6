#include "parallel/decomposition.hpp"

#include <stdexcept>
#include <string>

#include "physics/state.hpp"

namespace ondes3d {
namespace {

// First cell of part n of `parts`.
int cut(int cells, int parts, int n) { return static_cast<int>(static_cast<long long>(cells) * n / parts); }

int part_of(int cell, int cells, int parts) {
  int n = static_cast<int>(static_cast<long long>(cell) * parts / cells);
  while (cut(cells, parts, n + 1) <= cell) {
    ++n;
  }
  return n;
}

}  // namespace

Decomposition::Decomposition(const Index3& cells, int px, int py) : cells_(cells), px_(px), py_(py) {
  if (cells[0] / px < kGhost || cells[1] / py < kGhost) {
    throw std::runtime_error("found " + std::to_string(px) + " x " + std::to_string(py) + " columns for " +
                             std::to_string(cells[0]) + " x " + std::to_string(cells[1]) +
                             " cells; expected at least " + std::to_string(kGhost) +
                             " cells in each: start fewer ranks");
  }
}

Box Decomposition::own(int rank) const {
  const int x = rank % px_;
  const int y = rank / px_;
  return {{cut(cells_[0], px_, x), cut(cells_[1], py_, y), 0},
          {cut(cells_[0], px_, x + 1), cut(cells_[1], py_, y + 1), cells_[2]}};
}

std::optional<int> Decomposition::neighbour(int rank, int dx, int dy) const {
  const int x = rank % px_ + dx;
  const int y = rank / px_ + dy;
  if (x < 0 || x >= px_ || y < 0 || y >= py_) {
    return std::nullopt;
  }
  return y * px_ + x;
}

int Decomposition::owner(int i, int j) const { return part_of(j, cells_[1], py_) * px_ + part_of(i, cells_[0], px_); }

std::pair<int, int> choose_columns(int ranks, const Index3& cells, int px, int py) {
  std::pair<int, int> best{0, 0};
  double shortest = 0;
  for (int x = 1; x <= ranks; ++x) {
    const int y = ranks / x;
    if (x * y != ranks || (px > 0 && x != px) || (py > 0 && y != py)) {
      continue;
    }
    const double border = static_cast<double>(x) * cells[1] + static_cast<double>(y) * cells[0];
    if (best.first == 0 || border < shortest) {
      best = {x, y};
      shortest = border;
    }
  }
  if (best.first == 0) {
    throw std::runtime_error("found --px " + std::to_string(px) + " --py " + std::to_string(py) +
                             " (0 is free); expected px x py = " + std::to_string(ranks) + " ranks");
  }
  return best;
}

}  // namespace ondes3d

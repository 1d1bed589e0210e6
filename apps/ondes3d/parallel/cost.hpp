// What a rank has to do per step, before it is measured.
#pragma once

#include "parallel/decomposition.hpp"

namespace ondes3d {

struct Cost {
  std::size_t cells = 0;
  std::size_t absorbing = 0;  // of them, those in at least one absorbing layer
  // In cells away from the borders: an absorbing layer adds to its cells, along x most, because its rows are short.
  // Weights measured with bench/kernel_bench; single precision.
  double modelled = 0;
};

[[nodiscard]] Cost cost_of(const Grid& grid, const Box& own);

}  // namespace ondes3d

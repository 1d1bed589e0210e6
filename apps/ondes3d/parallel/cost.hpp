// What a rank has to do per step, before it is measured.
#pragma once

#include "parallel/decomposition.hpp"

namespace ondes3d {

struct Cost {
  std::size_t cells = 0;
  std::size_t absorbing = 0;  // of them, those in at least one absorbing layer
  // In cells away from all borders: an absorbing layer adds to its cells, along x most, because its rows are short, and
  // so does waiting for a neighbour's stresses, since fields then come from memory twice. Weights fitted to the
  // processor seconds of the ranks of five cuts of one case; single precision.
  double modelled = 0;
};

[[nodiscard]] Cost cost_of(const Grid& grid, const Box& own);

}  // namespace ondes3d

// The staggered differences of the scheme, and the order in which a kernel visits the rows of a subdomain.
#pragma once

#include <algorithm>
#include <cstddef>

#include "physics/medium.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// From whole to half positions: the value belongs half a cell after f. `stride` picks the axis.
template <typename Real>
[[gnu::always_inline]] inline Real forward(const Real* f, std::ptrdiff_t stride, Weights<Real> w) {
  return w.near * (f[stride] - f[0]) + w.far * (f[2 * stride] - f[-stride]);
}

// From half to whole positions: the value belongs half a cell before f.
template <typename Real>
[[gnu::always_inline]] inline Real backward(const Real* f, std::ptrdiff_t stride, Weights<Real> w) {
  return w.near * (f[0] - f[-stride]) + w.far * (f[stride] - f[-2 * stride]);
}

// Calls body(j, k) for each row. A few rows are carried through all planes before the next ones, so that the planes
// which a z difference needs again are still in the cache.
template <typename Body>
void for_each_row(const Index3& cells, const Body& body) {
  constexpr int kRows = 16;
  for (int first = 0; first < cells[1]; first += kRows) {
    const int last = std::min(first + kRows, cells[1]);
    for (int k = 0; k < cells[2]; ++k) {
      for (int j = first; j < last; ++j) {
        body(j, k);
      }
    }
  }
}

}  // namespace ondes3d

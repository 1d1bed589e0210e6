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

// Rows of one plane that a kernel finishes before the next ones: j in [first, last).
struct Rows {
  int k = 0;
  int first = 0;
  int last = 0;
};

// Calls body(rows) until all rows of the subdomain are done. A band of rows is carried through all planes before the
// next band, so that the planes which a z difference needs again are still in the cache.
template <typename Body>
void for_each_block(const Layout& grid, std::size_t real_bytes, const Body& body) {
  constexpr std::size_t kBlockBytes = std::size_t{144} << 10U;  // of nine fields; a z difference keeps three more
  const std::size_t row_bytes = 9 * real_bytes * static_cast<std::size_t>(grid.stride[1]);
  const int rows = std::max(4, static_cast<int>(kBlockBytes / row_bytes));
  for (int first = 0; first < grid.cells[1]; first += rows) {
    const int last = std::min(first + rows, grid.cells[1]);
    for (int k = 0; k < grid.cells[2]; ++k) {
      body(Rows{k, first, last});
    }
  }
}

}  // namespace ondes3d

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

// Rows of one plane that a kernel finishes before the next ones: j in [first, last), of each row the cells
// [west, east).
struct Rows {
  int k = 0;
  int first = 0;
  int last = 0;
  int west = 0;
  int east = 0;
};

// How many rows of a subdomain make a band: as many as fit the cache with the planes that a z difference needs again.
// `planes` is how many planes of all fields are in use at a time, in units of those that one kernel needs.
[[nodiscard]] inline int rows_of_band(const Layout& grid, std::size_t real_bytes, std::size_t planes = 1) {
  constexpr std::size_t kBlockBytes = std::size_t{144} << 10U;  // of nine fields; a z difference keeps three more
  const std::size_t row_bytes = 9 * real_bytes * static_cast<std::size_t>(grid.stride[1]);
  return std::max(4, static_cast<int>(planes * kBlockBytes / row_bytes));
}

// Calls body(rows) until all rows of `box` are done. A band of rows is carried through all planes before the next one.
template <typename Body>
void for_each_block(const Box& box, int band, const Body& body) {
  for (int first = box.lo[1]; first < box.hi[1]; first += band) {
    const int last = std::min(first + band, box.hi[1]);
    for (int k = box.lo[2]; k < box.hi[2]; ++k) {
      body(Rows{k, first, last, box.lo[0], box.hi[0]});
    }
  }
}

}  // namespace ondes3d

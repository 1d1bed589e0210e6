// Small complex systems of equations, for plane waves.
#pragma once

#include <array>
#include <complex>
#include <cstddef>
#include <utility>

namespace ondes3d {

using Complex = std::complex<double>;
inline constexpr Complex kI{0, 1};

template <std::size_t kSize>
using ComplexVector = std::array<Complex, kSize>;
template <std::size_t kSize>
using ComplexMatrix = std::array<ComplexVector<kSize>, kSize>;

// Solves a x = b by elimination with pivots.
template <std::size_t kSize>
ComplexVector<kSize> solve(ComplexMatrix<kSize> a, ComplexVector<kSize> b) {
  for (std::size_t c = 0; c < kSize; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < kSize; ++r) {
      pivot = std::abs(a[r][c]) > std::abs(a[pivot][c]) ? r : pivot;
    }
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < kSize; ++r) {
      if (r != c) {
        const Complex factor = a[r][c] / a[c][c];
        for (std::size_t n = c; n < kSize; ++n) {
          a[r][n] -= factor * a[c][n];
        }
        b[r] -= factor * b[c];
      }
    }
  }
  for (std::size_t c = 0; c < kSize; ++c) {
    b[c] /= a[c][c];
  }
  return b;
}

}  // namespace ondes3d

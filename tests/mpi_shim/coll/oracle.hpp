// Values that differ from rank to rank and element to element, for comparing collectives with a plain computation.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::mpi_shim {

// Small enough that sums and products of a few ranks are exact in every type of at least 32 bits.
inline int value(int rank, std::size_t element) {
  return static_cast<int>((static_cast<std::size_t>(rank) * 7 + element * 3) % 11) + 1;
}

template <typename T>
std::vector<T> vector_of(int rank, std::size_t n) {
  std::vector<T> result(n);
  for (std::size_t i = 0; i < n; ++i) {
    result[i] = static_cast<T>(value(rank, i));
  }
  return result;
}

// Doubles whose sum depends on the order in which they are added.
inline std::vector<double> rounding_vector(int rank, std::size_t n) {
  std::vector<double> result(n);
  std::uint64_t seed = 88172645463325252U + static_cast<std::uint64_t>(rank) * 0x9e3779b97f4a7c15U;
  for (double& x : result) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    x = (static_cast<double>(seed >> 11) - 4503599627370496.0) * ((seed & 1) != 0 ? 1e-9 : 1e3);
  }
  return result;
}

// Lengths that take every path: one word, one piece, several pieces.
inline constexpr std::size_t kLengths[] = {0, 1, 2, 7, 100, 5000, 20000};

}  // namespace weft::mpi_shim

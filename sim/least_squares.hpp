// Non-negative least squares for the few parameters of a machine.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace weft::sim {

inline constexpr std::size_t kUnknowns = 4;
using Unknowns = std::array<double, kUnknowns>;

// The sum of coefficients × unknowns is about `seconds`, which is more than 0.
struct Equation {
  Unknowns coefficients{};
  double seconds = 0.0;
};

struct Fit {
  Unknowns values{};
  double misfit = 0.0;  // root of the mean of the squared relative errors
};

// The non-negative unknowns with the least sum of squared relative errors; an unknown in no equation is 0. Errors are
// relative, so that the times of short and long messages have the same weight.
Fit least_squares(std::span<const Equation> equations);

}  // namespace weft::sim

// Least squares with unknowns that are not negative, for the few parameters of a machine.
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

// The unknowns, none of them negative, for which the sum of the squared relative errors is least. One that no equation
// has is 0. Relative errors, for times of a short and of a long message are to weigh the same.
Fit least_squares(std::span<const Equation> equations);

}  // namespace weft::sim

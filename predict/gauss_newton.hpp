// Non-linear least squares for models with a few parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace weft::predict {

struct LeastSquaresProblem {
  // The residual of each equation for these parameters. The number of equations is always the same.
  std::function<std::vector<double>(const std::vector<double>&)> residuals;
  std::vector<double> start;
  double least = -std::numeric_limits<double>::infinity();  // lower bound: parameters stay above it
};

struct GaussNewtonOptions {
  std::uint32_t iterations = 100;  // at most
  double tolerance = 1e-10;        // stops when a step changes no parameter by more than this part of it
  // Levenberg: added to the diagonal of the normal equations, times their largest diagonal element; a step that does
  // not help multiplies it by 4, one that does divides it by 4. 0: plain Gauss-Newton, whose step is halved instead.
  double damping = 0.0;
};

struct LeastSquaresResult {
  std::vector<double> values;
  std::uint32_t iterations = 0;
  bool converged = false;          // false: stopped at the limit of iterations
  double rms = 0.0;                // root of the mean squared residual
  std::vector<bool> determined{};  // by parameter: whether the equations depend on it
};

// Gauss-Newton (Wang 2012) with derivatives by central differences. If the equations do not determine all parameters,
// the shortest step is taken, so that parameters on which no equation depends stay at their start. A step is made
// smaller until the sum of squares falls. REQUIRES: start is above `least`, and the residuals there are finite.
LeastSquaresResult gauss_newton(const LeastSquaresProblem& problem, const GaussNewtonOptions& options = {});

}  // namespace weft::predict

// Non-linear least squares for models with a few parameters.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace weft::predict {

struct LeastSquaresProblem {
  // By equation, how far the model is off with these parameters. As many equations for all parameters.
  std::function<std::vector<double>(const std::vector<double>&)> residuals;
  std::vector<double> start;
  double least = -std::numeric_limits<double>::infinity();  // parameters stay above it
};

struct GaussNewtonOptions {
  std::uint32_t iterations = 100;  // at most
  double tolerance = 1e-10;        // it stops where a step changes no parameter by more than this part of it
  // Levenberg: added to the diagonal of the normal equations, times their largest diagonal element; a step that does
  // not help multiplies it by 4, one that does divides it by 4. 0: plain Gauss-Newton, whose step is halved instead.
  double damping = 0.0;
};

struct LeastSquaresResult {
  std::vector<double> values;
  std::uint32_t iterations = 0;
  bool converged = false;          // else it stopped at the limit of iterations
  double rms = 0.0;                // root of the mean squared residual
  std::vector<bool> determined{};  // by parameter: whether the equations say anything about it
};

// Gauss-Newton (Wang 2012) with derivatives by central differences. Where the equations do not determine all parameters
// the shortest step is taken, which leaves those at their start that no equation depends on. A step is tried again,
// smaller, until the sum of squares falls. REQUIRES: start is above `least`, and the residuals there are finite.
LeastSquaresResult gauss_newton(const LeastSquaresProblem& problem, const GaussNewtonOptions& options = {});

}  // namespace weft::predict

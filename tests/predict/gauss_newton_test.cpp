// Least squares with known answers.
#include "predict/gauss_newton.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weft::predict {
namespace {

TEST(GaussNewton, ALinearProblemTakesOneStep) {
  // y = 2 + 3 x at x = 0, 1, 2 with errors +1, -2, +1, which no line removes: the sum of squares stays 6.
  const LeastSquaresProblem problem{
      .residuals =
          [](const std::vector<double>& v) {
            return std::vector<double>{v[0] - 3.0, v[0] + v[1] - 3.0, v[0] + 2 * v[1] - 9.0};
          },
      .start = {1.0, 1.0}};
  const LeastSquaresResult one = gauss_newton(problem, {.iterations = 1});
  EXPECT_NEAR(one.values[0], 2.0, 1e-8);
  EXPECT_NEAR(one.values[1], 3.0, 1e-8);
  EXPECT_NEAR(one.rms, std::sqrt(2.0), 1e-9);
  EXPECT_TRUE(gauss_newton(problem).converged);
}

// exp(a x) at a = 0.7; plain Gauss-Newton from 0 overshoots, so steps are halved or damped.
TEST(GaussNewton, ACurveWithAndWithoutDamping) {
  const LeastSquaresProblem problem{.residuals =
                                        [](const std::vector<double>& v) {
                                          std::vector<double> r;
                                          for (const double x : {1.0, 3.0, 9.0}) {
                                            r.push_back(std::exp(v[0] * x) - std::exp(0.7 * x));
                                          }
                                          return r;
                                        },
                                    .start = {0.0}};
  for (const double damping : {0.0, 1e-3}) {
    const LeastSquaresResult fit = gauss_newton(problem, {.damping = damping});
    EXPECT_NEAR(fit.values[0], 0.7, 1e-8) << damping;
    EXPECT_TRUE(fit.converged) << damping;
  }
}

TEST(GaussNewton, WhatNoEquationHasStaysAtItsStart) {
  const LeastSquaresProblem problem{.residuals =
                                        [](const std::vector<double>& v) {
                                          return std::vector<double>{v[0] - 5.0, v[0] - 7.0};
                                        },
                                    .start = {1.0, 1.0}};
  const LeastSquaresResult fit = gauss_newton(problem);
  EXPECT_NEAR(fit.values[0], 6.0, 1e-9);
  EXPECT_EQ(fit.values[1], 1.0);
  EXPECT_EQ(fit.determined, (std::vector<bool>{true, false}));
}

TEST(GaussNewton, ParametersStayAboveTheirLeast) {
  const LeastSquaresProblem problem{
      .residuals = [](const std::vector<double>& v) { return std::vector<double>{std::log(v[0]) - std::log(1e-3)}; },
      .start = {10.0},
      .least = 0.0};
  EXPECT_NEAR(gauss_newton(problem).values[0], 1e-3, 1e-9);
}

}  // namespace
}  // namespace weft::predict

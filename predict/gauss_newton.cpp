#include "predict/gauss_newton.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <Eigen/Dense>

#include "base/check.hpp"

namespace weft::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::uint32_t kMostTries = 40;  // of a step, each smaller than the one before

std::vector<double> as_vector(const VectorXd& values) { return {values.data(), values.data() + values.size()}; }

class Fitting {
 public:
  Fitting(const LeastSquaresProblem& problem, const GaussNewtonOptions& options)
      : problem_(problem),
        damping_(options.damping),
        values_(Eigen::Map<const VectorXd>(problem.start.data(), static_cast<Index>(problem.start.size()))),
        residuals_(residuals_at(values_)) {
    base::check(residuals_.allFinite(), "a fit begins where its residuals are finite");
  }

  // Makes one step. Returns the largest relative change of a parameter; 0 if no step lowers the sum of squares.
  double step() {
    const MatrixXd jacobian = jacobian_here();
    for (std::uint32_t attempt = 0; attempt < kMostTries; ++attempt) {
      const VectorXd change =
          damping_ > 0.0 ? damped(jacobian) : std::ldexp(1.0, -static_cast<int>(attempt)) * undamped(jacobian);
      const VectorXd next = values_ + change;
      const VectorXd there = (next.array() > problem_.least).all() ? residuals_at(next) : VectorXd();
      if (there.size() != 0 && there.allFinite() && there.squaredNorm() <= residuals_.squaredNorm()) {
        const double part = (change.array().abs() / next.array().abs().max(1e-300)).maxCoeff();
        values_ = next;
        residuals_ = there;
        damping_ /= 4.0;
        return part;
      }
      damping_ *= 4.0;
    }
    return 0.0;
  }

  [[nodiscard]] LeastSquaresResult result() const {
    LeastSquaresResult result{.values = as_vector(values_)};
    result.rms = std::sqrt(residuals_.squaredNorm() / static_cast<double>(std::max<Index>(residuals_.size(), 1)));
    const MatrixXd jacobian = jacobian_here();
    for (Index i = 0; i < values_.size(); ++i) {
      result.determined.push_back(jacobian.col(i).norm() * std::abs(values_[i]) > 1e-9);
    }
    return result;
  }

 private:
  [[nodiscard]] VectorXd residuals_at(const VectorXd& values) const {
    const std::vector<double> residuals = problem_.residuals(as_vector(values));
    return Eigen::Map<const VectorXd>(residuals.data(), static_cast<Index>(residuals.size()));
  }
  [[nodiscard]] MatrixXd jacobian_here() const {
    MatrixXd jacobian(residuals_.size(), values_.size());
    for (Index i = 0; i < values_.size(); ++i) {
      const double width = 1e-6 * std::max(std::abs(values_[i]), 1e-3);
      VectorXd low = values_;
      VectorXd high = values_;
      low[i] -= width;
      high[i] += width;
      jacobian.col(i) = (residuals_at(high) - residuals_at(low)) / (2.0 * width);
    }
    return jacobian;
  }
  // The shortest of all steps that solve the linear problem.
  [[nodiscard]] VectorXd undamped(const MatrixXd& jacobian) const {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> solver;
    solver.setThreshold(1e-10);
    solver.compute(jacobian);
    return solver.solve(-residuals_);
  }
  [[nodiscard]] VectorXd damped(const MatrixXd& jacobian) const {
    MatrixXd normal = jacobian.transpose() * jacobian;
    normal.diagonal().array() += damping_ * std::max(normal.diagonal().maxCoeff(), 1e-300);
    return normal.ldlt().solve(-jacobian.transpose() * residuals_);
  }

  const LeastSquaresProblem& problem_;
  double damping_;
  VectorXd values_;
  VectorXd residuals_;
};

}  // namespace

LeastSquaresResult gauss_newton(const LeastSquaresProblem& problem, const GaussNewtonOptions& options) {
  Fitting fitting(problem, options);
  std::uint32_t done = 0;
  bool converged = false;
  while (!converged && done < options.iterations) {
    converged = fitting.step() <= options.tolerance;
    ++done;
  }
  LeastSquaresResult result = fitting.result();
  result.iterations = done;
  result.converged = converged;
  return result;
}

}  // namespace weft::predict

#include "sim/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace weft::sim {
namespace {

// A column whose remainder is below this part of its length depends linearly on the columns before it.
constexpr double kSingular = 1e-9;
constexpr double kBestMisfit = std::numeric_limits<double>::infinity();

using Columns = std::vector<std::vector<double>>;  // each divided by its length; empty: its length is 0

Columns columns_of(std::span<const Equation> equations, Unknowns& lengths) {
  Columns columns(kUnknowns);
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    double sum = 0.0;
    for (const Equation& equation : equations) {
      columns[i].push_back(equation.coefficients[i] / equation.seconds);
      sum += columns[i].back() * columns[i].back();
    }
    lengths[i] = std::sqrt(sum);
    if (sum == 0.0) {
      columns[i].clear();
      continue;
    }
    std::ranges::for_each(columns[i], [&](double& value) { value /= lengths[i]; });
  }
  return columns;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += a[i] * b[i];
  }
  return sum;
}

// Solves for the right-hand side of ones by Gram-Schmidt, applied twice to limit rounding errors. None if the columns
// are linearly dependent.
std::optional<std::vector<double>> solve(const std::vector<const std::vector<double>*>& columns) {
  const std::size_t count = columns.size();
  std::vector<std::vector<double>> basis;
  std::vector<std::vector<double>> upper(count, std::vector<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> rest = *columns[i];
    for (std::size_t k = 0; k < 2 * i; ++k) {
      const double part = dot(basis[k % i], rest);
      upper[k % i][i] += part;
      for (std::size_t row = 0; row < rest.size(); ++row) {
        rest[row] -= part * basis[k % i][row];
      }
    }
    upper[i][i] = std::sqrt(dot(rest, rest));
    if (upper[i][i] < kSingular) {
      return std::nullopt;
    }
    std::ranges::for_each(rest, [&](double& value) { value /= upper[i][i]; });
    basis.push_back(std::move(rest));
  }
  std::vector<double> values(count);
  for (std::size_t i = count; i-- > 0;) {
    for (const double value : basis[i]) {
      values[i] += value;
    }
    for (std::size_t k = i + 1; k < count; ++k) {
      values[i] -= upper[i][k] * values[k];
    }
    values[i] /= upper[i][i];
  }
  return values;
}

double misfit_of(std::span<const Equation> equations, const Unknowns& values) {
  double sum = 0.0;
  for (const Equation& equation : equations) {
    double predicted = 0.0;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      predicted += equation.coefficients[i] * values[i];
    }
    const double error = predicted / equation.seconds - 1.0;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(equations.size(), 1)));
}

}  // namespace

// At the optimum some unknowns are 0 and the others solve the unbounded problem. Tries all sets, as there are few.
Fit least_squares(std::span<const Equation> equations) {
  Unknowns lengths{};
  const Columns columns = columns_of(equations, lengths);
  Fit best{.misfit = kBestMisfit};
  for (unsigned set = 0; set < 1U << kUnknowns; ++set) {
    std::vector<std::size_t> members;
    std::vector<const std::vector<double>*> chosen;
    for (std::size_t i = 0; i < kUnknowns; ++i) {
      if ((set >> i & 1U) != 0) {
        members.push_back(i);
        chosen.push_back(&columns[i]);
      }
    }
    if (std::ranges::any_of(chosen, [](const auto* column) { return column->empty(); })) {
      continue;
    }
    const auto values = solve(chosen);
    if (!values || std::ranges::any_of(*values, [](double value) { return value < 0.0; })) {
      continue;
    }
    Fit fit;
    for (std::size_t i = 0; i < members.size(); ++i) {
      fit.values[members[i]] = (*values)[i] / lengths[members[i]];
    }
    fit.misfit = misfit_of(equations, fit.values);
    if (fit.misfit < best.misfit) {
      best = fit;
    }
  }
  return best;
}

}  // namespace weft::sim

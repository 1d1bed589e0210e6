#include "predict/trend.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "base/check.hpp"

namespace weft::predict {
namespace {

constexpr double kNearer = 0.9;

constexpr std::array kForms{
    TrendForm{.name = "1", .at = [](double) { return 0.0; }},
    TrendForm{.name = "ln n", .at = [](double n) { return std::log(n); }},
    TrendForm{.name = "sqrt n", .at = [](double n) { return std::sqrt(n); }},
    TrendForm{.name = "n^(2/3)", .at = [](double n) { return std::cbrt(n * n); }},
    TrendForm{.name = "n", .at = [](double n) { return n; }},
    TrendForm{.name = "1/n", .at = [](double n) { return 1.0 / n; }},
};

// a and b by least squares over all runs except those with `left_out` ranks. b is 0 if f does not vary.
std::pair<double, double> fit(const TrendForm& form, std::span<const double> ranks, std::span<const double> values,
                              double left_out) {
  double count = 0.0;
  double f_sum = 0.0;
  double v_sum = 0.0;
  double ff_sum = 0.0;
  double fv_sum = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    if (ranks[i] != left_out) {
      const double f = form.at(ranks[i]);
      count += 1.0;
      f_sum += f;
      v_sum += values[i];
      ff_sum += f * f;
      fv_sum += f * values[i];
    }
  }
  const double square = ff_sum - f_sum * f_sum / count;
  const double b = square > 1e-12 * ff_sum ? (fv_sum - f_sum * v_sum / count) / square : 0.0;
  return {(v_sum - b * f_sum) / count, b};
}

double error_left_out(const TrendForm& form, std::span<const double> ranks, std::span<const double> values) {
  double sum = 0.0;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const auto [a, b] = fit(form, ranks, values, ranks[i]);
    sum += std::pow(a + b * form.at(ranks[i]) - values[i], 2);
  }
  return std::sqrt(sum);
}

}  // namespace

std::span<const TrendForm> trend_forms() { return kForms; }
std::span<const TrendForm> growing_forms() { return std::span(kForms).first(kForms.size() - 1); }

Trend::Trend(std::span<const double> ranks, std::span<const double> values, std::span<const TrendForm> forms) {
  base::check(!ranks.empty() && ranks.size() == values.size(), "a trend needs values");
  if (std::set<double>(ranks.begin(), ranks.end()).size() >= kSizesForTrend) {
    double least = kNearer * error_left_out(form_, ranks, values);
    for (const TrendForm& form : forms) {
      if (const double error = error_left_out(form, ranks, values); error < least) {
        least = error;
        form_ = form;
      }
    }
  }
  std::tie(a_, b_) = fit(form_, ranks, values, -1.0);
  least_ = std::ranges::min(values) / 2.0;
  std::map<double, std::pair<double, double>> sums;  // by number of ranks: of values, and how many
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    auto& [sum, count] = sums[ranks[i]];
    sum += values[i];
    count += 1.0;
  }
  for (const auto& [n, sum] : sums) {
    const double expected = form_at(n);
    ratios_[n] = expected > 0.0 ? sum.first / sum.second / expected : 1.0;
  }
}

double Trend::form_at(double ranks) const { return std::max(least_, a_ + b_ * form_.at(ranks)); }

double Trend::ratio_at(double ranks) const {
  if (ratios_.empty()) {
    return 1.0;
  }
  const auto above = ratios_.lower_bound(ranks);
  if (above == ratios_.end()) {
    return ratios_.rbegin()->second;
  }
  if (above == ratios_.begin() || above->first == ranks) {
    return above->second;
  }
  const auto below = std::prev(above);
  return std::lerp(below->second, above->second,
                   std::log(ranks / below->first) / std::log(above->first / below->first));
}

double Trend::at(double ranks) const { return form_at(ranks) * ratio_at(ranks); }

}  // namespace weft::predict

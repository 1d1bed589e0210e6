// How a quantity of a program grows with the number of ranks.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <span>
#include <string_view>
#include <vector>

namespace weft::predict {

inline constexpr std::size_t kSizesForTrend = 3;  // with fewer a trend is a constant

struct TrendForm {
  std::string_view name;
  double (*at)(double ranks);
};
// 1, ln n, √n, n^⅔, n, 1/n.
std::span<const TrendForm> trend_forms();
// Those without 1/n, which changes most at few ranks.
std::span<const TrendForm> growing_forms();

// Passes through the mean of the given values at each of their numbers of ranks. Between these and beyond, it follows
// a + b f(n) with the form f that has the least error at sizes left out of the fit: a constant if there are at most two
// sizes, or if no other form lowers the error by at least a tenth. The ratio to that form is interpolated linearly in
// ln n; beyond the given sizes it is that of the nearest one.
class Trend {
 public:
  Trend() = default;  // 0 at all sizes
  // REQUIRES: equal, non-zero numbers of both; ranks > 0.
  Trend(std::span<const double> ranks, std::span<const double> values,
        std::span<const TrendForm> forms = trend_forms());

  // Not negative.
  [[nodiscard]] double at(double ranks) const;
  [[nodiscard]] std::string_view form() const { return form_.name; }

 private:
  // Not below `least_`, half of the least given value, since forms may become negative outside the known sizes.
  [[nodiscard]] double form_at(double ranks) const;
  [[nodiscard]] double ratio_at(double ranks) const;

  TrendForm form_ = trend_forms().front();
  std::map<double, double> ratios_;  // by number of ranks: of the given values to the form's
  double a_ = 0.0;
  double b_ = 0.0;
  double least_ = 0.0;
};

}  // namespace weft::predict

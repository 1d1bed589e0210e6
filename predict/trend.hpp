// How a quantity of a program grows with the number of ranks.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace weft::predict {

struct TrendForm {
  std::string_view name;
  double (*at)(double ranks);
};
// 1, ln n, √n, n^⅔, n, 1/n.
std::span<const TrendForm> trend_forms();

// a + b f(n) with the form f that has the least error at sizes left out of the fit. A constant if there are at most two
// sizes, or if no other form lowers the error by at least a tenth.
class Trend {
 public:
  // REQUIRES: equal, non-zero numbers of both; ranks > 0.
  Trend(std::span<const double> ranks, std::span<const double> values);

  // Not below `least_`, half of the least given value, since forms may become negative outside the known sizes.
  [[nodiscard]] double at(double ranks) const;
  [[nodiscard]] std::string_view form() const { return form_.name; }

 private:
  TrendForm form_;
  double a_ = 0.0;
  double b_ = 0.0;
  double least_ = 0.0;
};

}  // namespace weft::predict

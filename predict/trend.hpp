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

// a + b f(n), with the f whose errors at sizes left out of the fit are least; a constant where two sizes or fewer are
// known or no other form is nearer by a tenth. Errors are relative to the mean of all values.
class Trend {
 public:
  // REQUIRES: as many of both, and some; ranks > 0.
  Trend(std::span<const double> ranks, std::span<const double> values);

  // Not below `least_`, half of the least value that was seen: forms may fall below 0 beyond the sizes that are known.
  [[nodiscard]] double at(double ranks) const;
  [[nodiscard]] std::string_view form() const { return form_.name; }

 private:
  TrendForm form_;
  double a_ = 0.0;
  double b_ = 0.0;
  double least_ = 0.0;
};

}  // namespace weft::predict

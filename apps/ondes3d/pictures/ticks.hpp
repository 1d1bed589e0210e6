// Round numbers along an axis.
#pragma once

#include <string>
#include <vector>

namespace ondes3d {

struct AxisRange {
  double low = 0, high = 1;
};

struct Ticks {
  std::vector<double> values;  // multiples of 1, 2, 2.5 or 5 times a power of ten, growing
  int decimals = 0;            // that all of them need

  [[nodiscard]] std::string label(std::size_t n) const;
};

// At most `most` (at least 2) within the range; fewer where none fit.
[[nodiscard]] Ticks round_ticks(AxisRange range, int most);

// From -end to end, both among them, at most `most` (at least 3); `end` is one of round_up()'s numbers.
[[nodiscard]] Ticks symmetric_ticks(double end, int most);

// The smallest of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 8 times a power of ten that is not below `value`, which is above 0.
[[nodiscard]] double round_up(double value);

// With a true minus sign; four digits where there are no decimals to keep to.
[[nodiscard]] std::string number_text(double value, int decimals);
[[nodiscard]] std::string number_text(double value);

}  // namespace ondes3d

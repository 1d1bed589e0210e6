// Letters as strokes on a small grid, for the pictures' labels.
#pragma once

#include <vector>

namespace ondes3d {

inline constexpr double kCapital = 6;  // height of a capital above the baseline
inline constexpr double kAdvance = 6;  // from one letter to the next
inline constexpr double kGap = 2;      // of the advance

struct StrokePoint {
  double x = 0, y = 0;  // y upwards from the baseline
};
using Stroke = std::vector<StrokePoint>;

// Empty for a blank and for what the font lacks.
[[nodiscard]] std::vector<Stroke> glyph(char letter);

}  // namespace ondes3d

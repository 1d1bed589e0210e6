// Axes with round numbers.
#pragma once

#include <string_view>

#include "output/canvas.hpp"

namespace ondes3d {

struct AxisRange {
  double low = 0, high = 1;
};

// A round number of which about `wanted` fit into the range.
[[nodiscard]] double round_step(AxisRange range, int wanted);

// Grid lines over the plot, numbers below it, the name below them. A plot of height 0 is its own lower edge: numbers
// only.
void horizontal_axis(Canvas& canvas, const Area& plot, AxisRange range, std::string_view name);
// Ticks and numbers left of the plot; values grow upwards.
void vertical_axis(Canvas& canvas, const Area& plot, AxisRange range, std::string_view name);

// A bar of colours from bottom to top with numbers on its right.
template <typename Colours>
void colour_bar(Canvas& canvas, const Area& bar, const Colours& colours) {
  for (int y = 0; y < static_cast<int>(bar.height); ++y) {
    for (int x = 0; x < static_cast<int>(bar.width); ++x) {
      canvas.set(static_cast<int>(bar.corner.x) + x, static_cast<int>(bar.corner.y) + y,
                 colours(1 - (y + 0.5) / bar.height));
    }
  }
  canvas.frame(bar, kInk);
}

}  // namespace ondes3d

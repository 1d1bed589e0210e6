// Axes with round numbers.
#pragma once

#include <string_view>

#include "output/canvas.hpp"

namespace ondes3d {

struct Range {
  double low = 0, high = 1;
};

// A round number of which about `wanted` fit into the range.
[[nodiscard]] double round_step(Range range, int wanted);

// Grid lines over the panel at `corner`, numbers below it, the name below them.
void horizontal_axis(Canvas& canvas, Point corner, double width, double height, Range range, std::string_view name);
// Ticks and numbers left of the panel; values grow upwards.
void vertical_axis(Canvas& canvas, Point corner, double height, Range range, std::string_view name);

// A bar of colours from bottom to top with numbers on its right.
template <typename Colours>
void colour_bar(Canvas& canvas, Point corner, double width, double height, const Colours& colours) {
  for (int y = 0; y < static_cast<int>(height); ++y) {
    for (int x = 0; x < static_cast<int>(width); ++x) {
      canvas.set(static_cast<int>(corner.x) + x, static_cast<int>(corner.y) + y, colours(1 - (y + 0.5) / height));
    }
  }
  canvas.frame(corner, width, height, kInk);
}

}  // namespace ondes3d

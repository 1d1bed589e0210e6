// Axes with round numbers, titles, bars of colours.
#pragma once

#include <string_view>

#include "pictures/scale.hpp"
#include "pictures/sheet.hpp"
#include "pictures/ticks.hpp"

namespace ondes3d {

inline constexpr double kTitleSize = 17, kNoteSize = 11.5, kTickSize = 12, kNameSize = 12.5;

// The title of a page and sentences in small print below it, in two lines where they are long; `left` is where they
// begin.
void title(Sheet& sheet, double left, std::string_view words, std::string_view note);

// Ticks and numbers below the plot, the name (may be empty) below them; with `lines` faint ones across the plot.
void horizontal_axis(Sheet& sheet, const Area& plot, AxisRange range, std::string_view name, bool lines = false);
// The same left of the plot; values grow upwards, the name reads upwards.
void vertical_axis(Sheet& sheet, const Area& plot, AxisRange range, std::string_view name);

// A bar from bottom to top with the scale's numbers and, upwards, `name` with its unit on the right. Where values lie
// beyond the scale its end is a triangle in the colour that they have.
void colour_bar(Sheet& sheet, const Area& bar, const ColourScale& scale, std::string_view name);

inline constexpr double kTitleHeight = 72;  // of both

inline constexpr double kTriangle = 0.7;  // height of such a triangle, in widths of the bar
// Room that numbers and name take on the right of a bar.
inline constexpr double kBarWords = 84;

}  // namespace ondes3d

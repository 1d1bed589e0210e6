// Seismograms of all stations in one picture.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "output/scene.hpp"
#include "pictures/sheet.hpp"

namespace ondes3d {

// Three panels (East, North, up); stations from near to far, at most 24 of them; each scaled by its own peak, which
// stands beside it. Bars mark the direct P and S waves from the hypocentre, with letters where the trace leaves room.
// `scene` must outlive the picture.
[[nodiscard]] Picture record_section(const Scene& scene);

// Where the letters beside the bars at `times` go (x of the bars): boxes of this size within `row` that meet neither
// the trace nor each other nor a bar; nothing for a letter without room.
[[nodiscard]] std::vector<std::optional<Area>> place_letters(std::span<const Point> trace, std::span<const double> bars,
                                                             const Area& row, Extent letter);

}  // namespace ondes3d

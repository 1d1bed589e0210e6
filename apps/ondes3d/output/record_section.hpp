// Seismograms of all stations in one picture.
#pragma once

#include "input/case.hpp"
#include "output/canvas.hpp"
#include "physics/recorder.hpp"

namespace ondes3d {

// Three panels (East, North, up); stations from near to far, at most 24 of them; each scaled by its own peak, which
// stands beside it. Ticks mark the direct P and S waves from the hypocentre.
[[nodiscard]] Canvas record_section(const Case& c, const std::vector<Trace>& traces);

}  // namespace ondes3d

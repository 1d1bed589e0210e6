// Maps of the surface: peak ground velocity, and the wave field at some moments.
#pragma once

#include "input/case.hpp"
#include "output/canvas.hpp"
#include "parallel/simulation.hpp"

namespace ondes3d {

// With stations, epicentre and a colour bar; absorbing layers cut off.
[[nodiscard]] Canvas peak_velocity_map(const Case& c, const Picture& peak);

// Vertical velocity, a panel per snapshot, one scale for all.
[[nodiscard]] Canvas wave_field(const Case& c, const std::vector<Picture>& snapshots);

}  // namespace ondes3d

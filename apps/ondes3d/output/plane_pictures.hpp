// Pictures of planes: peak velocity, and the wave field at some moments.
#pragma once

#include "input/case.hpp"
#include "output/canvas.hpp"
#include "output/plane.hpp"

namespace ondes3d {

// With a colour bar and the hypocentre; the ground with stations, vertical planes with the roofs of the layers.
[[nodiscard]] Canvas peak_velocity_picture(const Case& c, const PlaneResult& result);

// Velocity upwards, a panel per snapshot, one scale for all. There is at least one snapshot.
[[nodiscard]] Canvas wave_field_picture(const Case& c, const PlaneResult& result);

}  // namespace ondes3d

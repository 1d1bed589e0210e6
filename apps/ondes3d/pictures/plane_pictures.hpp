// Pictures of planes: peak velocity, and the wave field at some moments.
#pragma once

#include "output/scene.hpp"
#include "pictures/scale.hpp"
#include "pictures/sheet.hpp"

namespace ondes3d {

// `scene` and `result`, one of its planes, must outlive the pictures.

// With a colour bar and the hypocentre; the ground with stations, vertical planes with the roofs of the layers.
[[nodiscard]] Picture peak_velocity_picture(const Scene& scene, const PlaneResult& result);

// Velocity upwards, a panel for each of scene.panels moments, one scale for all. There is at least one snapshot.
[[nodiscard]] Picture wave_field_picture(const Scene& scene, const PlaneResult& result);

// One moment alone, as a frame of a movie; `scale` is that of all of them.
[[nodiscard]] Picture moment_picture(const Scene& scene, const PlaneResult& result, std::size_t moment,
                                     const ColourScale& scale);

// Which snapshots are the panels: evenly spaced in time, the last one is the end of the run.
[[nodiscard]] std::vector<std::size_t> panel_moments(const Scene& scene, const PlaneResult& result);

}  // namespace ondes3d

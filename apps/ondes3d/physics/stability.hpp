// Can this grid carry these waves: the Courant limit and the points per wavelength.
#pragma once

#include <span>

#include "physics/box.hpp"
#include "physics/medium.hpp"

namespace ondes3d {

// Largest stable time step, s: h / (vp sqrt(3) (9/8 + 1/24)) (Levander 1988, eq. 5; Graves 1996, eq. 14, for 3-D).
[[nodiscard]] double longest_stable_step(double spacing, double vp);

// Shortest wavelength in cells, at `frequency` (Hz).
[[nodiscard]] double points_per_wavelength(double spacing, double slowest, double frequency);

// Levander 1988: fewer points than this per wavelength and waves disperse visibly.
inline constexpr double kPointsWanted = 5;

// Frequency (Hz) above which the amplitude spectrum of a moment rate stays under a tenth of its peak; 0 for silence.
[[nodiscard]] double highest_frequency(std::span<const float> rate, double interval);

}  // namespace ondes3d

// What a subdomain remembers of its velocities: station traces, surface maps.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "physics/source.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Velocity (m/s) at one place, one row of East, North, up per step.
using Trace = std::vector<std::array<float, 3>>;

// Interpolates the velocities at a point whose cell the subdomain owns. Reads one ghost cell on each side.
template <typename Real>
class Probe {
 public:
  Probe(const Grid& grid, const Box& own, const Layout& layout, const Vec3& position);
  [[nodiscard]] std::array<float, 3> read(const State<Real>& state) const;

 private:
  struct Part {
    std::ptrdiff_t cell;
    double weight;
  };
  std::array<std::vector<Part>, 3> parts_;
};

// One value per surface cell that the subdomain owns, x fastest.
using SurfaceMap = std::vector<float>;

// max(map, horizontal speed), m/s. The three components of a cell are taken as if they stood at its node.
template <typename Real>
void raise_peak_velocity(SurfaceMap& map, const State<Real>& state);

// Velocity upwards, m/s, half a cell below the surface.
template <typename Real>
[[nodiscard]] SurfaceMap vertical_velocity(const State<Real>& state);

}  // namespace ondes3d

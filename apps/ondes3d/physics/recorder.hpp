// What a subdomain remembers of its velocities at the stations.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "physics/source.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Velocity (m/s) at one place, one row of East, North, up per step. In single precision each value is a float's.
using Trace = std::vector<std::array<double, 3>>;

// Interpolates the velocities at a point whose cell the subdomain owns. Reads one ghost cell on each side.
template <typename Real>
class Probe {
 public:
  Probe(const Grid& grid, const Box& own, const Layout& layout, const Vec3& position);
  [[nodiscard]] std::array<double, 3> read(const State<Real>& state) const;

 private:
  struct Part {
    std::ptrdiff_t cell;
    double weight;
  };
  std::array<std::vector<Part>, 3> parts_;
};

}  // namespace ondes3d

// The staggered velocities brought together at the nodes of the grid.
#pragma once

#include <array>
#include <vector>

#include "output/lattice.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Velocity East, North, up (m/s) at node (i, j, k) of the subdomain: the mean of the two neighbours of each component,
// at the ground v_z on the parabola through the three values below. Reads one ghost cell to the west and south and up
// to two below. `top` is the level of the ground in the subdomain's own count.
template <typename Real>
[[nodiscard]] std::array<Real, 3> node_velocity(const State<Real>& state, int top, const Index3& at) {
  const std::ptrdiff_t here = state.layout.at(at[0], at[1], at[2]);
  const Real* const vx = state.velocity[0] + here;
  const Real* const vy = state.velocity[1] + here;
  const Real* const vz = state.velocity[2] + here;
  const std::ptrdiff_t south = state.layout.stride[1];
  const std::ptrdiff_t below = state.layout.stride[2];
  constexpr Real kHalf{0.5};
  const Real up = at[2] < top ? kHalf * (vz[-below] + vz[0])
                              : Real{1.875} * vz[-below] - Real{1.25} * vz[-2 * below] + Real{0.375} * vz[-3 * below];
  return {kHalf * (vx[-1] + vx[0]), kHalf * (vy[-south] + vy[0]), up};
}

// The same at nodes that are counted in the whole grid, whose last level is the ground.
template <typename Real>
class NodeVelocities {
 public:
  // `own` is the subdomain of the state, which must outlive this object.
  NodeVelocities(const State<Real>& state, const Grid& grid, const Box& own)
      : state_(state), corner_(own.lo), top_(grid.cells[2] - 1 - own.lo[2]) {}

  [[nodiscard]] std::array<Real, 3> at(const Index3& node) const {
    return node_velocity(state_, top_, {node[0] - corner_[0], node[1] - corner_[1], node[2] - corner_[2]});
  }

 private:
  const State<Real>& state_;
  Index3 corner_;
  int top_;
};

// Calls visit(velocity) for each sample in `samples`, x fastest. They lie in the subdomain.
template <typename Real, typename Visit>
void for_each_velocity(const NodeVelocities<Real>& velocities, const Lattice& lattice, const Box& samples,
                       const Visit& visit) {
  for (int k = samples.lo[2]; k < samples.hi[2]; ++k) {
    for (int j = samples.lo[1]; j < samples.hi[1]; ++j) {
      for (int i = samples.lo[0]; i < samples.hi[0]; ++i) {
        visit(velocities.at(lattice.node({i, j, k})));
      }
    }
  }
}

}  // namespace ondes3d

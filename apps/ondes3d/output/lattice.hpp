// Which nodes of the grid a result shows: a volume, every so-many-th node of it, or one plane.
#pragma once

#include <array>

#include "physics/box.hpp"

namespace ondes3d {

// Sample m along an axis is node first + m * stride; there are `count` of them, at least one.
struct Lattice {
  Index3 first{};
  Index3 stride{1, 1, 1};
  Index3 count{1, 1, 1};

  [[nodiscard]] Box box() const { return {{0, 0, 0}, count}; }
  [[nodiscard]] Index3 node(const Index3& sample) const;
  // Samples on nodes of `own`, in samples of the lattice; may be empty.
  [[nodiscard]] Box samples_in(const Box& own) const;
  // Place of the first sample and distance of two, in m.
  [[nodiscard]] Vec3 origin(const Grid& grid) const;
  [[nodiscard]] Vec3 spacing(const Grid& grid) const;
};

// Every stride-th node of the physical domain (no absorbing layers), counted from the ground and the south-west corner:
// the ground is always shown.
[[nodiscard]] Lattice volume_lattice(const Grid& grid, int stride);

// The nodes of the physical domain whose index along `axis` is `node`.
[[nodiscard]] Lattice plane_lattice(const Grid& grid, int axis, int node);

}  // namespace ondes3d

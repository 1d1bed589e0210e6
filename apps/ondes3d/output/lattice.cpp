#include "output/lattice.hpp"

namespace ondes3d {
namespace {

// The smallest m with first + m * stride >= node, not below 0.
int samples_before(int first, int stride, int node) { return node <= first ? 0 : (node - first + stride - 1) / stride; }

}  // namespace

Index3 Lattice::node(const Index3& sample) const {
  return {first[0] + sample[0] * stride[0], first[1] + sample[1] * stride[1], first[2] + sample[2] * stride[2]};
}

Box Lattice::samples_in(const Box& own) const {
  Box samples;
  for (std::size_t d = 0; d < 3; ++d) {
    samples.lo[d] = std::min(count[d], samples_before(first[d], stride[d], own.lo[d]));
    samples.hi[d] = std::min(count[d], samples_before(first[d], stride[d], own.hi[d]));
  }
  return samples;
}

Vec3 Lattice::origin(const Grid& grid) const {
  return {grid.corner[0] + first[0] * grid.spacing, grid.corner[1] + first[1] * grid.spacing,
          grid.corner[2] + first[2] * grid.spacing};
}

Vec3 Lattice::spacing(const Grid& grid) const {
  return {stride[0] * grid.spacing, stride[1] * grid.spacing, stride[2] * grid.spacing};
}

Lattice volume_lattice(const Grid& grid, int stride) {
  const int cut = grid.cpml;
  const Index3 nodes{grid.cells[0] - 2 * cut, grid.cells[1] - 2 * cut, grid.cells[2] - cut};
  Lattice lattice;
  lattice.stride = {stride, stride, stride};
  for (std::size_t d = 0; d < 3; ++d) {
    lattice.count[d] = (nodes[d] - 1) / stride + 1;
  }
  const int below = (nodes[2] - 1) % stride;
  lattice.first = {cut, cut, cut + below};
  return lattice;
}

Lattice plane_lattice(const Grid& grid, int axis, int node) {
  Lattice lattice = volume_lattice(grid, 1);
  const auto a = static_cast<std::size_t>(axis);
  lattice.first[a] = node;
  lattice.count[a] = 1;
  return lattice;
}

}  // namespace ondes3d

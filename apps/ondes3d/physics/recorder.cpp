#include "physics/recorder.hpp"

namespace ondes3d {

template <typename Real>
Probe<Real>::Probe(const Grid& grid, const Box& own, const Layout& layout, const Vec3& position) {
  for (std::size_t d = 0; d < 3; ++d) {
    for_each_point(stencil(grid, position, {d == 0, d == 1, d == 2}), [&](const Index3& cell, double weight) {
      parts_[d].push_back({layout.at(cell[0] - own.lo[0], cell[1] - own.lo[1], cell[2] - own.lo[2]), weight});
    });
  }
}

template <typename Real>
std::array<double, 3> Probe<Real>::read(const State<Real>& state) const {
  std::array<double, 3> velocity{};
  for (std::size_t d = 0; d < 3; ++d) {
    double sum = 0;
    for (const Part& part : parts_[d]) {
      sum += part.weight * static_cast<double>(state.velocity[d][part.cell]);
    }
    velocity[d] = static_cast<double>(static_cast<Real>(sum));
  }
  return velocity;
}

template class Probe<float>;
template class Probe<double>;

}  // namespace ondes3d

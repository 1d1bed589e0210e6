#include "physics/recorder.hpp"

#include <cmath>

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
std::array<float, 3> Probe<Real>::read(const State<Real>& state) const {
  std::array<float, 3> velocity{};
  for (std::size_t d = 0; d < 3; ++d) {
    double sum = 0;
    for (const Part& part : parts_[d]) {
      sum += part.weight * static_cast<double>(state.velocity[d][part.cell]);
    }
    velocity[d] = static_cast<float>(sum);
  }
  return velocity;
}

template <typename Real>
void raise_peak_velocity(SurfaceMap& map, const State<Real>& state) {
  const Layout& grid = state.layout;
  const int top = grid.cells[2] - 1;
  auto peak = map.begin();
  for (int j = 0; j < grid.cells[1]; ++j) {
    const Real* const vx = state.velocity[0] + grid.at(0, j, top);
    const Real* const vy = state.velocity[1] + grid.at(0, j, top);
    for (int i = 0; i < grid.cells[0]; ++i, ++peak) {
      *peak = std::max(*peak, static_cast<float>(std::sqrt(vx[i] * vx[i] + vy[i] * vy[i])));
    }
  }
}

template <typename Real>
SurfaceMap vertical_velocity(const State<Real>& state) {
  const Layout& grid = state.layout;
  SurfaceMap map;
  for (int j = 0; j < grid.cells[1]; ++j) {
    const Real* const vz = state.velocity[2] + grid.at(0, j, grid.cells[2] - 2);
    for (int i = 0; i < grid.cells[0]; ++i) {
      map.push_back(static_cast<float>(vz[i]));
    }
  }
  return map;
}

template class Probe<float>;
template class Probe<double>;
template void raise_peak_velocity(SurfaceMap&, const State<float>&);
template void raise_peak_velocity(SurfaceMap&, const State<double>&);
template SurfaceMap vertical_velocity(const State<float>&);
template SurfaceMap vertical_velocity(const State<double>&);

}  // namespace ondes3d

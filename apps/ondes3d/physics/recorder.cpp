#include "physics/recorder.hpp"

#include <cmath>

namespace ondes3d {

template <typename Real>
Probe<Real>::Probe(const Grid& grid, const Box& own, const Layout& layout, const Vec3& position) : cell_{}, weight_{} {
  for (std::size_t d = 0; d < 3; ++d) {
    const Stencil s = stencil(grid, position, {d == 0, d == 1, d == 2});
    for (std::size_t corner = 0; corner < 8; ++corner) {
      const std::size_t a = corner & 1U, b = corner >> 1U & 1U, c = corner >> 2U;
      cell_[d][corner] =
          layout.at(s.base[0] + static_cast<int>(a) - own.lo[0], s.base[1] + static_cast<int>(b) - own.lo[1],
                    s.base[2] + static_cast<int>(c) - own.lo[2]);
      weight_[d][corner] = s.weight[0][a] * s.weight[1][b] * s.weight[2][c];
    }
  }
}

template <typename Real>
std::array<float, 3> Probe<Real>::read(const State<Real>& state) const {
  std::array<float, 3> velocity{};
  for (std::size_t d = 0; d < 3; ++d) {
    double sum = 0;
    for (std::size_t corner = 0; corner < 8; ++corner) {
      sum += weight_[d][corner] * static_cast<double>(state.velocity[d][cell_[d][corner]]);
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

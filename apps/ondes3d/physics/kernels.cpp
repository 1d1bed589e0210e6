#include "physics/kernels.hpp"

#include "physics/difference.hpp"

namespace ondes3d {

template <typename Real>
void update_stress(State<Real>& state, const std::vector<Level<Real>>& levels, Weights<Real> w) {
  const Layout& grid = state.layout;
  const auto [x, y, z] = grid.stride;
  const int nx = grid.cells[0];
  for_each_row(grid.cells, [&, x = x, y = y, z = z](int j, int k) {
    const std::ptrdiff_t row = grid.at(0, j, k);
    const Level<Real> m = levels[static_cast<std::size_t>(k)];
    const Real* const vx = state.velocity[0] + row;
    const Real* const vy = state.velocity[1] + row;
    const Real* const vz = state.velocity[2] + row;
    Real* const sxx = state.normal[0] + row;
    Real* const syy = state.normal[1] + row;
    Real* const szz = state.normal[2] + row;
    Real* const syz = state.shear[0] + row;
    Real* const sxz = state.shear[1] + row;
    Real* const sxy = state.shear[2] + row;
#pragma GCC ivdep  // the nine fields are distinct
    for (int i = 0; i < nx; ++i) {
      const Real dx_vx = backward(vx + i, x, w);
      const Real dy_vy = backward(vy + i, y, w);
      const Real dz_vz = backward(vz + i, z, m.dz);
      sxx[i] += m.diagonal * dx_vx + m.coupling * dy_vy + m.coupling_z * dz_vz;
      syy[i] += m.coupling * dx_vx + m.diagonal * dy_vy + m.coupling_z * dz_vz;
      szz[i] += m.coupling_z * (dx_vx + dy_vy) + m.diagonal_z * dz_vz;
      sxy[i] += m.shear * (forward(vx + i, y, w) + forward(vy + i, x, w));
      sxz[i] += m.shear_z * (forward(vx + i, z, m.dz) + forward(vz + i, x, w));
      syz[i] += m.shear_z * (forward(vy + i, z, m.dz) + forward(vz + i, y, w));
    }
  });
}

template <typename Real>
void update_velocity(State<Real>& state, const std::vector<Level<Real>>& levels, Weights<Real> w) {
  const Layout& grid = state.layout;
  const auto [x, y, z] = grid.stride;
  const int nx = grid.cells[0];
  for_each_row(grid.cells, [&, x = x, y = y, z = z](int j, int k) {
    const std::ptrdiff_t row = grid.at(0, j, k);
    const Level<Real> m = levels[static_cast<std::size_t>(k)];
    Real* const vx = state.velocity[0] + row;
    Real* const vy = state.velocity[1] + row;
    Real* const vz = state.velocity[2] + row;
    const Real* const sxx = state.normal[0] + row;
    const Real* const syy = state.normal[1] + row;
    const Real* const szz = state.normal[2] + row;
    const Real* const syz = state.shear[0] + row;
    const Real* const sxz = state.shear[1] + row;
    const Real* const sxy = state.shear[2] + row;
#pragma GCC ivdep  // the nine fields are distinct
    for (int i = 0; i < nx; ++i) {
      vx[i] += m.lightness * (forward(sxx + i, x, w) + backward(sxy + i, y, w) + backward(sxz + i, z, w));
      vy[i] += m.lightness * (backward(sxy + i, x, w) + forward(syy + i, y, w) + backward(syz + i, z, w));
      vz[i] += m.lightness_z * (backward(sxz + i, x, w) + backward(syz + i, y, w) + forward(szz + i, z, w));
    }
  });
}

template <typename Real>
void image_stress(State<Real>& state) {
  const Layout& grid = state.layout;
  const int top = grid.cells[2] - 1;
  Real* const szz = state.normal[2];
  for (int j = 0; j < grid.cells[1]; ++j) {
    for (int i = 0; i < grid.cells[0]; ++i) {
      szz[grid.at(i, j, top)] = 0;
      szz[grid.at(i, j, top + 1)] = -szz[grid.at(i, j, top - 1)];
      szz[grid.at(i, j, top + 2)] = -szz[grid.at(i, j, top - 2)];
      for (Real* const s : {state.shear[0], state.shear[1]}) {
        s[grid.at(i, j, top)] = -s[grid.at(i, j, top - 1)];
        s[grid.at(i, j, top + 1)] = -s[grid.at(i, j, top - 2)];
      }
    }
  }
}

template void update_stress(State<float>&, const std::vector<Level<float>>&, Weights<float>);
template void update_stress(State<double>&, const std::vector<Level<double>>&, Weights<double>);
template void update_velocity(State<float>&, const std::vector<Level<float>>&, Weights<float>);
template void update_velocity(State<double>&, const std::vector<Level<double>>&, Weights<double>);
template void image_stress(State<float>&);
template void image_stress(State<double>&);

}  // namespace ondes3d

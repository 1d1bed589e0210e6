#include "physics/kernels.hpp"

#include "physics/difference.hpp"
#include "physics/distinct_arrays.hpp"

namespace ondes3d {
namespace {

// Advances a memory variable by one step. Returns how far the stress lags behind the elastic one.
template <typename Real>
[[gnu::always_inline]] inline Real relax(Real& memory, Real decay, Real driven) {
  const Real before = memory;
  memory = decay * before + driven;
  return before + memory;
}

// The nine fields from the first cell of one row on.
template <typename Real>
struct FieldRow {
  FieldRow(const State<Real>& state, std::ptrdiff_t row)
      : stride(state.layout.stride),
        velocity{state.velocity[0] + row, state.velocity[1] + row, state.velocity[2] + row},
        normal{state.normal[0] + row, state.normal[1] + row, state.normal[2] + row},
        shear{state.shear[0] + row, state.shear[1] + row, state.shear[2] + row} {}

  std::array<std::ptrdiff_t, 3> stride;
  std::array<const Real*, 3> velocity;
  std::array<Real*, 3> normal;
  std::array<Real*, 3> shear;
};

// One row of sxx, syy, szz. The shear stresses of the row follow in a loop of their own: all at once want more
// registers than there are.
template <typename Real, typename RockRow, typename RelaxRow>
[[gnu::always_inline]] inline void normal_row(const FieldRow<Real>& fields, const RockRow& m, const RelaxRow& q,
                                              Weights<Real> w, const Rows& rows) {
  const auto [x, y, z] = fields.stride;
  const Weights<Real> wz = m.dz();
  const auto [vx, vy, vz] = fields.velocity;
  const auto [sxx, syy, szz] = fields.normal;
  DISTINCT_ARRAYS  // the fields are distinct
  for (int i = rows.west; i < rows.east; ++i) {
    const Real dx_vx = backward(vx + i, x, w);
    const Real dy_vy = backward(vy + i, y, w);
    const Real dz_vz = backward(vz + i, z, wz);
    sxx[i] += m.diagonal(i) * dx_vx + m.coupling(i) * dy_vy + m.coupling_z(i) * dz_vz;
    syy[i] += m.coupling(i) * dx_vx + m.diagonal(i) * dy_vy + m.coupling_z(i) * dz_vz;
    szz[i] += m.coupling_z(i) * (dx_vx + dy_vy) + m.diagonal_z(i) * dz_vz;
    if constexpr (RelaxRow::kRelaxes) {
      const Real decay = q.decay(i);
      sxx[i] -= relax(q.normal[0][i], decay, q.diagonal(i) * dx_vx + q.coupling(i) * dy_vy + q.coupling_z(i) * dz_vz);
      syy[i] -= relax(q.normal[1][i], decay, q.coupling(i) * dx_vx + q.diagonal(i) * dy_vy + q.coupling_z(i) * dz_vz);
      szz[i] -= relax(q.normal[2][i], decay, q.coupling_z(i) * (dx_vx + dy_vy) + q.diagonal_z(i) * dz_vz);
    }
  }
}

template <typename Real, typename RockRow, typename RelaxRow>
[[gnu::always_inline]] inline void shear_row(const FieldRow<Real>& fields, const RockRow& m, const RelaxRow& q,
                                             Weights<Real> w, const Rows& rows) {
  const auto [x, y, z] = fields.stride;
  const Weights<Real> wz = m.dz();
  const auto [vx, vy, vz] = fields.velocity;
  const auto [syz, sxz, sxy] = fields.shear;
  DISTINCT_ARRAYS  // the fields are distinct
  for (int i = rows.west; i < rows.east; ++i) {
    const Real exy = forward(vx + i, y, w) + forward(vy + i, x, w);
    const Real exz = forward(vx + i, z, wz) + forward(vz + i, x, w);
    const Real eyz = forward(vy + i, z, wz) + forward(vz + i, y, w);
    sxy[i] += m.template shear<2>(i) * exy;
    sxz[i] += m.template shear<1>(i) * exz;
    syz[i] += m.template shear<0>(i) * eyz;
    if constexpr (RelaxRow::kRelaxes) {
      const Real decay = q.decay(i);
      sxy[i] -= relax(q.shears[2][i], decay, q.template shear<2>(i) * exy);
      sxz[i] -= relax(q.shears[1][i], decay, q.template shear<1>(i) * exz);
      syz[i] -= relax(q.shears[0][i], decay, q.template shear<0>(i) * eyz);
    }
  }
}

template <typename Real, typename RheologyRows>
void stress_of(const State<Real>& state, const RheologyRows& rheology_row, Weights<Real> w, const Rows& rows) {
  for (int j = rows.first; j < rows.last; ++j) {
    const FieldRow<Real> fields(state, state.layout.at(0, j, rows.k));
    const auto [m, q] = rheology_row(j, rows.k);
    normal_row(fields, m, q, w, rows);
    shear_row(fields, m, q, w, rows);
  }
}

template <typename Real, typename RockRow>
void velocity_of(State<Real>& state, const RockRow& rock_row, Weights<Real> w, const Rows& rows) {
  const Layout& grid = state.layout;
  const auto [x, y, z] = grid.stride;
  for (int j = rows.first; j < rows.last; ++j) {
    const std::ptrdiff_t row = grid.at(0, j, rows.k);
    const auto m = rock_row(j, rows.k);
    Real* const vx = state.velocity[0] + row;
    Real* const vy = state.velocity[1] + row;
    Real* const vz = state.velocity[2] + row;
    const Real* const sxx = state.normal[0] + row;
    const Real* const syy = state.normal[1] + row;
    const Real* const szz = state.normal[2] + row;
    const Real* const syz = state.shear[0] + row;
    const Real* const sxz = state.shear[1] + row;
    const Real* const sxy = state.shear[2] + row;
    DISTINCT_ARRAYS  // the nine fields are distinct
    for (int i = rows.west; i < rows.east; ++i) {
      vx[i] +=
          m.template lightness<0>(i) * (forward(sxx + i, x, w) + backward(sxy + i, y, w) + backward(sxz + i, z, w));
      vy[i] +=
          m.template lightness<1>(i) * (backward(sxy + i, x, w) + forward(syy + i, y, w) + backward(syz + i, z, w));
      vz[i] +=
          m.template lightness<2>(i) * (backward(sxz + i, x, w) + backward(syz + i, y, w) + forward(szz + i, z, w));
    }
  }
}

}  // namespace

template <typename Real>
void update_stress(State<Real>& state, const Rheology<Real>& rheology, Weights<Real> w, const Rows& rows) {
  rheology.visit([&](const auto& rheology_row) { stress_of(state, rheology_row, w, rows); });
}

template <typename Real>
void update_velocity(State<Real>& state, const Rock<Real>& rock, Weights<Real> w, const Rows& rows) {
  rock.visit([&](const auto& rock_row) { velocity_of(state, rock_row, w, rows); });
}

template <typename Real>
void image_stress(State<Real>& state, const Rows& rows) {
  const Layout& grid = state.layout;
  const int top = rows.k;
  Real* const szz = state.normal[2];
  for (int j = rows.first; j < rows.last; ++j) {
    for (int i = rows.west; i < rows.east; ++i) {
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

template void update_stress(State<float>&, const Rheology<float>&, Weights<float>, const Rows&);
template void update_stress(State<double>&, const Rheology<double>&, Weights<double>, const Rows&);
template void update_velocity(State<float>&, const Rock<float>&, Weights<float>, const Rows&);
template void update_velocity(State<double>&, const Rock<double>&, Weights<double>, const Rows&);
template void image_stress(State<float>&, const Rows&);
template void image_stress(State<double>&, const Rows&);

}  // namespace ondes3d

// The rock: horizontal layers, and what the kernels need of them at each level of the grid.
#pragma once

#include <vector>

#include "physics/box.hpp"
#include "physics/geology.hpp"

namespace ondes3d {

struct Layer {
  double roof = 0;  // z of its top, m; the first layer reaches up to the surface whatever its roof says
  double rho = 0;   // kg/m^3
  double vp = 0;    // m/s
  double vs = 0;    // m/s; 0 is sea
  double qp = 0;    // quality factors of P and S; 0 is no loss
  double qs = 0;
};

// From top to bottom; roofs fall. Not empty.
using Layers = std::vector<Layer>;

[[nodiscard]] Elastic elastic(const Layer& layer);

// Effective medium of the slice low <= z <= high (m): volume average of the density, harmonic averages of the shear
// and of the bulk modulus (Moczo et al. 2002, eqs. 8-10). A slice that touches the sea has mu = 0.
[[nodiscard]] Elastic effective_medium(const Layers& layers, double low, double high);

[[nodiscard]] double fastest_p(const Layers& layers);
// Slowest wave that can travel: S, or P in the sea.
[[nodiscard]] double slowest_wave(const Layers& layers);

// Weights of a staggered difference: near * (f[+1/2] - f[-1/2]) + far * (f[+3/2] - f[-3/2]), in 1/m.
template <typename Real>
struct Weights {
  Real near = 0;
  Real far = 0;
};

// Levander 1988, eq. 3: 9/8 and -1/24, fourth order.
template <typename Real>
[[nodiscard]] Weights<Real> fourth_order(double spacing) {
  return {static_cast<Real>(9.0 / 8.0 / spacing), static_cast<Real>(-1.0 / 24.0 / spacing)};
}

// Coefficients of level k, the time step included. Moduli with suffix _z belong to what involves the z axis.
template <typename Real>
struct Level {
  Real diagonal = 0;     // dt (lambda + 2 mu): d_x v_x into sxx
  Real coupling = 0;     // dt lambda: d_y v_y into sxx
  Real diagonal_z = 0;   // d_z v_z into szz
  Real coupling_z = 0;   // d_z v_z into sxx, d_x v_x into szz
  Real shear = 0;        // dt mu at the level: sxy
  Real shear_z = 0;      // dt mu half a cell above: sxz, syz
  Real lightness = 0;    // dt / rho at the level: vx, vy
  Real lightness_z = 0;  // dt / rho half a cell above: vz
  Weights<Real> dz;      // of d_z of the velocities; second order next to the surface
};

// Weights of d_z of the velocities at a level: second order where the operator would reach above the ground (Kristek et
// al. 2002).
template <typename Real>
[[nodiscard]] Weights<Real> velocity_weights(const Grid& grid, int level) {
  return level >= grid.cells[2] - 2 ? Weights<Real>{static_cast<Real>(1 / grid.spacing), 0}
                                    : fourth_order<Real>(grid.spacing);
}

// One Level per plane of the grid, from the bottom up. The top one obeys the free surface: szz = 0 gives
// d_z v_z = -lambda / (lambda + 2 mu) (d_x v_x + d_y v_y) (Levander 1988, eq. 7; Graves 1996, eq. 10), put into the
// coefficients of sxx and syy; what would lie above the ground has coefficient 0.
template <typename Real>
[[nodiscard]] std::vector<Level<Real>> make_levels(const Grid& grid, const Layers& layers);

extern template std::vector<Level<float>> make_levels(const Grid&, const Layers&);
extern template std::vector<Level<double>> make_levels(const Grid&, const Layers&);

}  // namespace ondes3d

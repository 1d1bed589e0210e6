// The two macro kernels of the elastic scheme (Keller Tesser 2016, Fig. 1b: Stress, Velocity) and the free surface.
#pragma once

#include "physics/difference.hpp"
#include "physics/rheology.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Stress by one time step from the velocities: d_t s_ij = lambda delta_ij div v + mu (d_i v_j + d_j v_i)
// (Virieux 1986, eq. 2; Graves 1996, eq. 2), fourth order in space, less what the memory variables hold back. Needs the
// ghosts of all velocities.
template <typename Real>
void update_stress(State<Real>& state, const Rheology<Real>& rheology, Weights<Real> w, const Rows& rows);

// Velocity by one time step from the stresses: rho d_t v_i = d_j s_ij (Virieux 1986, eq. 1; Graves 1996, eq. 1).
// Needs the ghosts of the stresses, those above the ground included.
template <typename Real>
void update_velocity(State<Real>& state, const Rock<Real>& rock, Weights<Real> w, const Rows& rows);

// Stress imaging: szz, sxz and syz are odd about the plane z = 0 (Levander 1988, p. 1430; Graves 1996, eqs. 8-9).
// Fills the two ghost planes above `rows`, which are those of the ground; the two planes below are done.
template <typename Real>
void image_stress(State<Real>& state, const Rows& rows);

}  // namespace ondes3d

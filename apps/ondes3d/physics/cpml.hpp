// Convolutional perfectly matched layers on the five faces below ground (Komatitsch & Martin 2007): the macro kernel
// Intermediates. A layer's memory variables exist only in its slab, so ranks on the border have more to do.
#pragma once

#include <array>
#include <vector>

#include "physics/difference.hpp"
#include "physics/packing.hpp"
#include "physics/rheology.hpp"
#include "physics/rock.hpp"
#include "physics/state.hpp"

namespace ondes3d {

struct CpmlSettings {
  double frequency = 1;      // dominant frequency of the source, Hz (`fd0`)
  double reflection = 1e-5;  // wanted amplitude of what comes back at normal incidence
  double kappa_max = 1;      // > 1 helps against waves at grazing incidence
};

// Along one axis, for each cell of a slab: psi <- b psi + a d f, and the derivative becomes d f / kappa + psi
// (Komatitsch & Martin 2007, eqs. 21, 24, 25), written as d f + (psi + excess d f).
template <typename Real>
struct Absorption {
  std::vector<Real> a, b, excess;
};

// Along x a slab is worked on in vectors of so many cells; what they touch after the last cell must exist and stays as
// it is. Sixteen single-precision values are a cache line.
inline constexpr int kSlabVector = 16;

// The cells of one absorbing layer that a subdomain owns.
template <typename Real>
struct Slab {
  int axis = 0;
  Box cells;                             // counted from the subdomain's first cell
  int pitch = 0;                         // values from row to row of psi: whole vectors
  Absorption<Real> whole, half;          // at whole and half positions along the axis, from cells.lo on, padded
  std::array<FieldMemory<Real>, 6> psi;  // d_axis of vx vy vz, then of the stresses that act on vx vy vz

  template <typename Puper>
  void pup(Puper& p) {
    for (auto& values : psi) {
      pup_values(p, values);
    }
  }
};

// The slabs of the faces west, east, south, north and bottom that reach into `own`; empty ones left out.
template <typename Real>
[[nodiscard]] std::vector<Slab<Real>> make_slabs(const Grid& grid, const Box& own, double vp,
                                                 const CpmlSettings& settings);

// Intermediates of Stress, for the slab's part of `rows`: advances psi of the velocities and adds what it contributes
// to the stresses and to their memory variables. Called when Stress has done these rows and they are still in the
// cache: the ten cells of a western or eastern slab alone are a stride that no prefetcher follows.
template <typename Real>
void absorb_stress(State<Real>& state, Slab<Real>& slab, const Rheology<Real>& rheology, Weights<Real> w,
                   const Rows& rows);

// Intermediates of Velocity: advances psi of the stresses and adds what it contributes to the velocities.
template <typename Real>
void absorb_velocity(State<Real>& state, Slab<Real>& slab, const Rock<Real>& rock, Weights<Real> w, const Rows& rows);

}  // namespace ondes3d

#include "physics/cpml.hpp"

#include <cmath>
#include <numbers>
#include <type_traits>

#include "physics/difference.hpp"
#include "physics/distinct_arrays.hpp"

namespace ondes3d {
namespace {

// How damping grows through a layer.
struct DampingProfile {
  DampingProfile(const Grid& grid, double vp, const CpmlSettings& of)
      : greatest(-3 * vp * std::log(of.reflection) / (2 * (grid.cpml * grid.spacing))),
        timestep(grid.timestep),
        settings(of) {}

  double greatest;  // d at the outer edge, 1/s (Collino & Tsogka 2001)
  double timestep;
  const CpmlSettings& settings;
};

// `depth` runs from 0 at the inner edge to 1 at the outer edge of the layer; below 0 the cell is not damped.
template <typename Real>
void append(Absorption<Real>& to, double depth, const DampingProfile& profile) {
  const CpmlSettings& set = profile.settings;
  const double inside = std::clamp(depth, 0.0, 1.0);
  const double d = depth > 0 ? profile.greatest * inside * inside : 0;
  const double kappa = 1 + (set.kappa_max - 1) * inside * inside;
  const double alpha = std::numbers::pi * set.frequency * (1 - inside);
  const double b = std::exp(-(d / kappa + alpha) * profile.timestep);
  const double a = d > 0 ? d * (b - 1) / (kappa * (d + kappa * alpha)) : 0;
  to.a.push_back(static_cast<Real>(a));
  to.b.push_back(static_cast<Real>(b));
  to.excess.push_back(static_cast<Real>(1 / kappa - 1));
}

// A face of the grid: the one where the axis begins (low), or where it ends.
struct Face {
  int axis;
  bool low;
};

// The layer between the face and the physical domain, clipped to what `own` holds.
template <typename Real>
Slab<Real> make_slab(const Grid& grid, const Box& own, Face face, const DampingProfile& profile) {
  const auto [axis, low] = face;
  const auto d = static_cast<std::size_t>(axis);
  const int last = grid.cells[d] - 1;
  Box layer = grid.box();
  // One cell more on the high side: its half position already lies in the layer.
  (low ? layer.hi : layer.lo)[d] = low ? grid.cpml : last - grid.cpml;
  Slab<Real> slab;
  slab.axis = axis;
  slab.cells = relative_to(intersect(layer, own), own.lo);
  for (int n = slab.cells.lo[d]; n < slab.cells.hi[d]; ++n) {
    const double whole = low ? grid.cpml - (n + own.lo[d]) : n + own.lo[d] - (last - grid.cpml);
    const double half = low ? whole - 0.5 : whole + 0.5;
    append(slab.whole, whole / grid.cpml, profile);
    append(slab.half, half / grid.cpml, profile);
  }
  for (auto* const absorption : {&slab.whole, &slab.half}) {
    for (auto* const coefficient : {&absorption->a, &absorption->b, &absorption->excess}) {
      coefficient->resize(coefficient->size() + kSlabVector);
    }
  }
  slab.pitch = (slab.cells.extent(0) + kSlabVector - 1) / kSlabVector * kSlabVector;
  for (auto& psi : slab.psi) {
    // A row that begins after the slab's first cell ends up to a vector later.
    psi.assign(static_cast<std::size_t>(slab.pitch) * static_cast<std::size_t>(slab.cells.extent(1)) *
                       static_cast<std::size_t>(slab.cells.extent(2)) +
                   kSlabVector,
               Real{0});
  }
  return slab;
}

template <typename Real>
struct Row {
  const Real *a, *b, *excess;
  std::ptrdiff_t next_plane;  // from psi to the cell above
};

// One row of one memory variable: psi is advanced, `deliver(i, extra, counts)` gets what it adds to the derivative.
// Along x the coefficients change from cell to cell, along y and z they are those of the row. Rows along x are as short
// as the layer is thick: they are done in whole vectors, whose last cells do not count and keep what they hold, and psi
// is asked for one plane ahead, since no prefetcher follows such short runs.
template <int kAxis, typename Real, typename Difference, typename Deliver>
[[gnu::always_inline]] inline void absorb_row(int cells, Row<Real> c, Real* psi, const Difference& difference,
                                              const Deliver& deliver) {
  if constexpr (kAxis == 0) {
    for (int first = 0; first < cells; first += kSlabVector) {
      for (std::size_t byte = 0; byte < kSlabVector * sizeof(Real); byte += kLineBytes) {
        __builtin_prefetch(psi + c.next_plane + first + byte / sizeof(Real), 1);
      }
      DISTINCT_ARRAYS  // psi, coefficients and fields are distinct
      for (int i = first; i < first + kSlabVector; ++i) {
        const bool counts = i < cells;
        const Real df = difference(i);
        const Real advanced = c.b[i] * psi[i] + c.a[i] * df;
        deliver(i, advanced + c.excess[i] * df, counts);
        psi[i] = counts ? advanced : psi[i];
      }
    }
  } else {
    DISTINCT_ARRAYS  // psi and fields are distinct
    for (int i = 0; i < cells; ++i) {
      const Real df = difference(i);
      psi[i] = *c.b * psi[i] + *c.a * df;
      deliver(i, psi[i] + *c.excess * df, true);
    }
  }
}

// s += term where it counts.
template <typename Real>
[[gnu::always_inline]] inline void add(Real& s, Real term, bool counts) {
  s = counts ? s + term : s;
}

// What an addition to a strain rate drives: the memory variable takes it, the stress lacks it.
template <typename Real>
[[gnu::always_inline]] inline void hold_back(Real& s, Real& memory, Real driven, bool counts) {
  add(s, -driven, counts);
  add(memory, driven, counts);
}

template <int kAxis, typename Real>
Row<Real> coefficients(const Absorption<Real>& from, const Slab<Real>& slab, const Index3& cell) {
  const int n = cell[kAxis] - slab.cells.lo[kAxis];
  return {from.a.data() + n, from.b.data() + n, from.excess.data() + n,
          static_cast<std::ptrdiff_t>(slab.pitch) * slab.cells.extent(1)};
}

// Calls body(first cell of the row, its place in a field, in psi, count of cells) for each row of the slab among
// `rows`.
template <typename Real, typename Body>
void for_each_slab_row(const State<Real>& state, const Slab<Real>& slab, const Rows& rows, const Body& body) {
  const Box& box = slab.cells;
  if (rows.k < box.lo[2] || rows.k >= box.hi[2]) {
    return;
  }
  const int west = std::max(rows.west, box.lo[0]);
  const int cells = std::min(rows.east, box.hi[0]) - west;
  if (cells <= 0) {
    return;
  }
  const int last = std::min(rows.last, box.hi[1]);
  for (int j = std::max(rows.first, box.lo[1]); j < last; ++j) {
    const std::ptrdiff_t number = static_cast<std::ptrdiff_t>(rows.k - box.lo[2]) * box.extent(1) + (j - box.lo[1]);
    body(Index3{west, j, rows.k}, state.layout.at(west, j, rows.k), number * slab.pitch + (west - box.lo[0]), cells);
  }
}

// Calls body(axis) with axes that are known when the program is compiled.
template <int... kAxes, typename Body>
[[gnu::always_inline]] inline void for_axes(const Body& body) {
  (body(std::integral_constant<int, kAxes>{}), ...);
}

template <int kAxis, typename Real, typename RheologyRows>
void absorb_stress_along(State<Real>& state, Slab<Real>& slab, const RheologyRows& rheology_row, Weights<Real> w,
                         const Rows& rows) {
  constexpr int kB = (kAxis + 1) % 3;
  constexpr int kC = (kAxis + 2) % 3;
  const std::ptrdiff_t step = state.layout.stride[kAxis];
  for_each_slab_row(state, slab, rows, [&](const Index3& cell, std::ptrdiff_t row, std::ptrdiff_t in_psi, int cells) {
    const auto material = rheology_row(cell[1], cell[2]);
    const auto m = material.rock.from(cell[0]);
    const auto q = material.relaxation.from(cell[0]);
    const Weights<Real> weights = kAxis == 2 ? m.dz() : w;
    const auto whole = coefficients<kAxis>(slab.whole, slab, cell);
    const auto half = coefficients<kAxis>(slab.half, slab, cell);
    Real* const saa = state.normal[kAxis] + row;
    Real* const sbb = state.normal[kB] + row;
    Real* const scc = state.normal[kC] + row;
    const Real* const va = state.velocity[kAxis] + row;
    absorb_row<kAxis>(
        cells, whole, slab.psi[kAxis].data() + in_psi, [=](int i) { return backward(va + i, step, weights); },
        [=](int i, Real extra, bool counts) {
          const auto give = [&](Real& s, [[maybe_unused]] int axis, const auto& modulus) {
            add(s, modulus(m) * extra, counts);
            if constexpr (decltype(q)::kRelaxes) {
              hold_back(s, q.normal[static_cast<std::size_t>(axis)][i], modulus(q) * extra, counts);
            }
          };
          give(saa[i], kAxis, [=](const auto& r) { return kAxis == 2 ? r.diagonal_z(i) : r.diagonal(i); });
          give(sbb[i], kB, [=](const auto& r) { return kAxis == 2 || kB == 2 ? r.coupling_z(i) : r.coupling(i); });
          give(scc[i], kC, [=](const auto& r) { return kAxis == 2 || kC == 2 ? r.coupling_z(i) : r.coupling(i); });
        });
    for_axes<kB, kC>([&](auto other) {
      constexpr int kWithout = 3 - kAxis - decltype(other)::value;
      const Real* const v = state.velocity[other] + row;
      Real* const s = state.shear[kWithout] + row;
      absorb_row<kAxis>(
          cells, half, slab.psi[other].data() + in_psi, [=](int i) { return forward(v + i, step, weights); },
          [=](int i, Real extra, bool counts) {
            add(s[i], m.template shear<kWithout>(i) * extra, counts);
            if constexpr (decltype(q)::kRelaxes) {
              hold_back(s[i], q.shears[kWithout][i], q.template shear<kWithout>(i) * extra, counts);
            }
          });
    });
  });
}

template <int kAxis, typename Real, typename RockRow>
void absorb_velocity_along(State<Real>& state, Slab<Real>& slab, const RockRow& rock_row, Weights<Real> w,
                           const Rows& rows) {
  const std::ptrdiff_t step = state.layout.stride[kAxis];
  for_each_slab_row(state, slab, rows, [&](const Index3& cell, std::ptrdiff_t row, std::ptrdiff_t in_psi, int cells) {
    const auto m = rock_row(cell[1], cell[2]).from(cell[0]);
    for_axes<0, 1, 2>([&](auto d) {
      Real* const v = state.velocity[d] + row;
      Real* const psi = slab.psi[3 + d].data() + in_psi;
      const auto deliver = [=](int i, Real extra, bool counts) {
        add(v[i], m.template lightness<decltype(d)::value>(i) * extra, counts);
      };
      if constexpr (d == kAxis) {
        const Real* const s = state.normal[kAxis] + row;
        absorb_row<kAxis>(
            cells, coefficients<kAxis>(slab.half, slab, cell), psi, [=](int i) { return forward(s + i, step, w); },
            deliver);
      } else {
        const Real* const s = state.shear[3 - kAxis - d] + row;
        absorb_row<kAxis>(
            cells, coefficients<kAxis>(slab.whole, slab, cell), psi, [=](int i) { return backward(s + i, step, w); },
            deliver);
      }
    });
  });
}

}  // namespace

template <typename Real>
std::vector<Slab<Real>> make_slabs(const Grid& grid, const Box& own, double vp, const CpmlSettings& settings) {
  std::vector<Slab<Real>> slabs;
  if (grid.cpml == 0) {
    return slabs;  // rigid walls
  }
  const DampingProfile profile(grid, vp, settings);
  for (const Face& face : {Face{0, true}, {0, false}, {1, true}, {1, false}, {2, true}}) {
    auto slab = make_slab<Real>(grid, own, face, profile);
    if (slab.cells.volume() > 0) {
      slabs.push_back(std::move(slab));
    }
  }
  return slabs;
}

template <typename Real>
void absorb_stress(State<Real>& state, Slab<Real>& slab, const Rheology<Real>& rheology, Weights<Real> w,
                   const Rows& rows) {
  rheology.visit([&](const auto& rheology_row) {
    switch (slab.axis) {
      case 0:
        return absorb_stress_along<0>(state, slab, rheology_row, w, rows);
      case 1:
        return absorb_stress_along<1>(state, slab, rheology_row, w, rows);
      default:
        return absorb_stress_along<2>(state, slab, rheology_row, w, rows);
    }
  });
}

template <typename Real>
void absorb_velocity(State<Real>& state, Slab<Real>& slab, const Rock<Real>& rock, Weights<Real> w, const Rows& rows) {
  rock.visit([&](const auto& rock_row) {
    switch (slab.axis) {
      case 0:
        return absorb_velocity_along<0>(state, slab, rock_row, w, rows);
      case 1:
        return absorb_velocity_along<1>(state, slab, rock_row, w, rows);
      default:
        return absorb_velocity_along<2>(state, slab, rock_row, w, rows);
    }
  });
}

template std::vector<Slab<float>> make_slabs(const Grid&, const Box&, double, const CpmlSettings&);
template std::vector<Slab<double>> make_slabs(const Grid&, const Box&, double, const CpmlSettings&);
template void absorb_stress(State<float>&, Slab<float>&, const Rheology<float>&, Weights<float>, const Rows&);
template void absorb_stress(State<double>&, Slab<double>&, const Rheology<double>&, Weights<double>, const Rows&);
template void absorb_velocity(State<float>&, Slab<float>&, const Rock<float>&, Weights<float>, const Rows&);
template void absorb_velocity(State<double>&, Slab<double>&, const Rock<double>&, Weights<double>, const Rows&);

}  // namespace ondes3d

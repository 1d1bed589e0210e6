#include "physics/cpml.hpp"

#include <cmath>
#include <numbers>
#include <type_traits>

#include "physics/difference.hpp"

namespace ondes3d {
namespace {

// `depth` runs from 0 at the inner edge to 1 at the outer edge of the layer; below 0 the cell is not damped.
template <typename Real>
void append(Absorption<Real>& to, double depth, double thickness, double vp, double dt, const CpmlSettings& set) {
  const double d_max = -3 * vp * std::log(set.reflection) / (2 * thickness);  // Collino & Tsogka 2001
  const double inside = std::clamp(depth, 0.0, 1.0);
  const double d = depth > 0 ? d_max * inside * inside : 0;
  const double kappa = 1 + (set.kappa_max - 1) * inside * inside;
  const double alpha = std::numbers::pi * set.frequency * (1 - inside);
  const double b = std::exp(-(d / kappa + alpha) * dt);
  const double a = d > 0 ? d * (b - 1) / (kappa * (d + kappa * alpha)) : 0;
  to.a.push_back(static_cast<Real>(a));
  to.b.push_back(static_cast<Real>(b));
  to.excess.push_back(static_cast<Real>(1 / kappa - 1));
}

// The layer in front of (low) or behind (high) the physical domain along `axis`, clipped to what `own` holds.
template <typename Real>
Slab<Real> make_slab(const Grid& grid, const Box& own, int axis, bool low, double vp, const CpmlSettings& set) {
  const auto d = static_cast<std::size_t>(axis);
  const int last = grid.cells[d] - 1;
  Box layer = grid.box();
  // One cell more on the high side: its half position already lies in the layer.
  (low ? layer.hi : layer.lo)[d] = low ? grid.cpml : last - grid.cpml;
  Slab<Real> slab;
  slab.axis = axis;
  slab.cells = relative_to(intersect(layer, own), own.lo);
  const double thickness = grid.cpml * grid.spacing;
  for (int n = slab.cells.lo[d]; n < slab.cells.hi[d]; ++n) {
    const double whole = low ? grid.cpml - (n + own.lo[d]) : n + own.lo[d] - (last - grid.cpml);
    const double half = low ? whole - 0.5 : whole + 0.5;
    append(slab.whole, whole / grid.cpml, thickness, vp, grid.timestep, set);
    append(slab.half, half / grid.cpml, thickness, vp, grid.timestep, set);
  }
  for (auto& psi : slab.psi) {
    psi.assign(slab.cells.volume(), Real{0});
  }
  return slab;
}

template <typename Real>
struct Row {
  const Real *a, *b, *excess;
};

// One row of one memory variable: psi is advanced, `deliver(i, extra)` gets what it adds to the derivative. Along x
// the coefficients change from cell to cell, along y and z they are those of the row.
template <int kAxis, typename Real, typename Difference, typename Deliver>
[[gnu::always_inline]] inline void absorb_row(int cells, Row<Real> c, Real* psi, const Difference& difference,
                                              const Deliver& deliver) {
#pragma GCC ivdep  // psi, coefficients and fields are distinct
  for (int i = 0; i < cells; ++i) {
    const int n = kAxis == 0 ? i : 0;
    const Real df = difference(i);
    psi[i] = c.b[n] * psi[i] + c.a[n] * df;
    deliver(i, psi[i] + c.excess[n] * df);
  }
}

template <int kAxis, typename Real>
Row<Real> coefficients(const Absorption<Real>& from, const Box& cells, int j, int k) {
  const int n = kAxis == 0 ? 0 : kAxis == 1 ? j - cells.lo[1] : k - cells.lo[2];
  return {from.a.data() + n, from.b.data() + n, from.excess.data() + n};
}

// Asks the memory for the cells of a row that comes soon. Along x a slab is ten cells wide, the next row lies a
// kilobyte away, and no hardware prefetcher follows: without this the slab takes ten times as long.
template <typename Real>
void prefetch_row_ahead(const State<Real>& state, std::ptrdiff_t row) {
  constexpr std::ptrdiff_t kRows = 6;
  constexpr std::ptrdiff_t kLine = 64 / sizeof(Real);
  const std::ptrdiff_t ahead = row + kRows * state.layout.stride[1] - kGhost;
  for (const Real* const field : state.all()) {
    __builtin_prefetch(field + ahead, 1);
    __builtin_prefetch(field + ahead + kLine, 1);
  }
}

// Calls body(j, k, first cell of the row in a field, in psi) for each row of the slab.
template <typename Real, typename Body>
void for_each_slab_row(const State<Real>& state, const Slab<Real>& slab, const Body& body) {
  std::ptrdiff_t in_psi = 0;
  for (int k = slab.cells.lo[2]; k < slab.cells.hi[2]; ++k) {
    for (int j = slab.cells.lo[1]; j < slab.cells.hi[1]; ++j) {
      const std::ptrdiff_t row = state.layout.at(slab.cells.lo[0], j, k);
      if (slab.axis == 0) {
        prefetch_row_ahead(state, row);
      }
      body(j, k, row, in_psi);
      in_psi += slab.cells.extent(0);
    }
  }
}

// Calls body(axis) with axes that are known when the program is compiled.
template <int... kAxes, typename Body>
[[gnu::always_inline]] inline void for_axes(const Body& body) {
  (body(std::integral_constant<int, kAxes>{}), ...);
}

template <int kAxis, typename Real, typename RockRow>
void absorb_stress_along(State<Real>& state, Slab<Real>& slab, const RockRow& rock_row, Weights<Real> w) {
  constexpr int kB = (kAxis + 1) % 3;
  constexpr int kC = (kAxis + 2) % 3;
  const std::ptrdiff_t step = state.layout.stride[kAxis];
  const int cells = slab.cells.extent(0);
  for_each_slab_row(state, slab, [&](int j, int k, std::ptrdiff_t row, std::ptrdiff_t in_psi) {
    const auto m = rock_row(j, k).from(slab.cells.lo[0]);
    const Weights<Real> weights = kAxis == 2 ? m.dz() : w;
    const auto whole = coefficients<kAxis>(slab.whole, slab.cells, j, k);
    const auto half = coefficients<kAxis>(slab.half, slab.cells, j, k);
    Real* const saa = state.normal[kAxis] + row;
    Real* const sbb = state.normal[kB] + row;
    Real* const scc = state.normal[kC] + row;
    const Real* const va = state.velocity[kAxis] + row;
    absorb_row<kAxis>(
        cells, whole, slab.psi[kAxis].data() + in_psi, [=](int i) { return backward(va + i, step, weights); },
        [=](int i, Real extra) {
          saa[i] += (kAxis == 2 ? m.diagonal_z(i) : m.diagonal(i)) * extra;
          sbb[i] += (kAxis == 2 || kB == 2 ? m.coupling_z(i) : m.coupling(i)) * extra;
          scc[i] += (kAxis == 2 || kC == 2 ? m.coupling_z(i) : m.coupling(i)) * extra;
        });
    for_axes<kB, kC>([&](auto other) {
      constexpr int kWithout = 3 - kAxis - decltype(other)::value;
      const Real* const v = state.velocity[other] + row;
      Real* const s = state.shear[kWithout] + row;
      absorb_row<kAxis>(
          cells, half, slab.psi[other].data() + in_psi, [=](int i) { return forward(v + i, step, weights); },
          [=](int i, Real extra) { s[i] += m.template shear<kWithout>(i) * extra; });
    });
  });
}

template <int kAxis, typename Real, typename RockRow>
void absorb_velocity_along(State<Real>& state, Slab<Real>& slab, const RockRow& rock_row, Weights<Real> w) {
  const std::ptrdiff_t step = state.layout.stride[kAxis];
  const int cells = slab.cells.extent(0);
  for_each_slab_row(state, slab, [&](int j, int k, std::ptrdiff_t row, std::ptrdiff_t in_psi) {
    const auto m = rock_row(j, k).from(slab.cells.lo[0]);
    for_axes<0, 1, 2>([&](auto d) {
      Real* const v = state.velocity[d] + row;
      Real* const psi = slab.psi[3 + d].data() + in_psi;
      const auto deliver = [=](int i, Real extra) { v[i] += m.template lightness<decltype(d)::value>(i) * extra; };
      if constexpr (d == kAxis) {
        const Real* const s = state.normal[kAxis] + row;
        absorb_row<kAxis>(
            cells, coefficients<kAxis>(slab.half, slab.cells, j, k), psi,
            [=](int i) { return forward(s + i, step, w); }, deliver);
      } else {
        const Real* const s = state.shear[3 - kAxis - d] + row;
        absorb_row<kAxis>(
            cells, coefficients<kAxis>(slab.whole, slab.cells, j, k), psi,
            [=](int i) { return backward(s + i, step, w); }, deliver);
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
  for (const auto& [axis, low] : {std::pair{0, true}, {0, false}, {1, true}, {1, false}, {2, true}}) {
    auto slab = make_slab<Real>(grid, own, axis, low, vp, settings);
    if (slab.cells.volume() > 0) {
      slabs.push_back(std::move(slab));
    }
  }
  return slabs;
}

template <typename Real>
void absorb_stress(State<Real>& state, Slab<Real>& slab, const Rock<Real>& rock, Weights<Real> w) {
  rock.visit([&](const auto& rock_row) {
    switch (slab.axis) {
      case 0:
        return absorb_stress_along<0>(state, slab, rock_row, w);
      case 1:
        return absorb_stress_along<1>(state, slab, rock_row, w);
      default:
        return absorb_stress_along<2>(state, slab, rock_row, w);
    }
  });
}

template <typename Real>
void absorb_velocity(State<Real>& state, Slab<Real>& slab, const Rock<Real>& rock, Weights<Real> w) {
  rock.visit([&](const auto& rock_row) {
    switch (slab.axis) {
      case 0:
        return absorb_velocity_along<0>(state, slab, rock_row, w);
      case 1:
        return absorb_velocity_along<1>(state, slab, rock_row, w);
      default:
        return absorb_velocity_along<2>(state, slab, rock_row, w);
    }
  });
}

template std::vector<Slab<float>> make_slabs(const Grid&, const Box&, double, const CpmlSettings&);
template std::vector<Slab<double>> make_slabs(const Grid&, const Box&, double, const CpmlSettings&);
template void absorb_stress(State<float>&, Slab<float>&, const Rock<float>&, Weights<float>);
template void absorb_stress(State<double>&, Slab<double>&, const Rock<double>&, Weights<double>);
template void absorb_velocity(State<float>&, Slab<float>&, const Rock<float>&, Weights<float>);
template void absorb_velocity(State<double>&, Slab<double>&, const Rock<double>&, Weights<double>);

}  // namespace ondes3d

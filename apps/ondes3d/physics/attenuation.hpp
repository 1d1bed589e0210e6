// Anelastic attenuation with memory variables, one mechanism per cell: coarse-grained, after Day & Bradley 2001.
#pragma once

#include <array>
#include <vector>

#include "physics/packing.hpp"
#include "physics/relaxation.hpp"
#include "physics/state.hpp"

namespace ondes3d {

// Shares that the mechanisms take of the moduli of P and S.
struct Losses {
  Shares p{}, s{};
};

// How strain rates drive the memory variables of the cells that hold one mechanism, at one level; named as in `Level`.
template <typename Real>
struct Drive {
  Real diagonal = 0;
  Real coupling = 0;
  Real diagonal_z = 0;
  Real coupling_z = 0;
  Real shear = 0;
  Real shear_z = 0;
  Real decay = 1;  // of a memory variable over a time step
};

// No memory variables: what the kernels of elastic rock are compiled with.
struct Elastics {
  static constexpr bool kRelaxes = false;
  [[nodiscard]] Elastics from(int) const { return {}; }
};

// Memory variables of one row and what drives them. Along x two mechanisms take turns.
template <typename Real>
struct RelaxingRow {
  static constexpr bool kRelaxes = true;
  Drive<Real> even, odd;
  std::array<Real*, 3> normal;
  std::array<Real*, 3> shears;

  // The row from cell `first` on, counted from there.
  [[nodiscard]] RelaxingRow from(int first) const {
    const auto moved = [first](std::array<Real*, 3> rows) {
      return std::array<Real*, 3>{rows[0] + first, rows[1] + first, rows[2] + first};
    };
    return first % 2 == 0 ? RelaxingRow{even, odd, moved(normal), moved(shears)}
                          : RelaxingRow{odd, even, moved(normal), moved(shears)};
  }
  [[nodiscard]] Real decay(int i) const { return pick(i, even.decay, odd.decay); }
  [[nodiscard]] Real diagonal(int i) const { return pick(i, even.diagonal, odd.diagonal); }
  [[nodiscard]] Real coupling(int i) const { return pick(i, even.coupling, odd.coupling); }
  [[nodiscard]] Real diagonal_z(int i) const { return pick(i, even.diagonal_z, odd.diagonal_z); }
  [[nodiscard]] Real coupling_z(int i) const { return pick(i, even.coupling_z, odd.coupling_z); }
  template <int kWithout>  // 0: syz, 1: sxz, 2: sxy
  [[nodiscard]] Real shear(int i) const {
    return kWithout == 2 ? pick(i, even.shear, odd.shear) : pick(i, even.shear_z, odd.shear_z);
  }

 private:
  [[nodiscard]] static Real pick(int i, Real if_even, Real if_odd) { return (i & 1) == 0 ? if_even : if_odd; }
};

// The memory variables of one subdomain. A stress lags behind the elastic one by x, the sum of its cell's variable
// before and after the step: x' = decay x + drive e, ds = M e - (x + x'), e the strain rate times the time step.
template <typename Real>
class Attenuation {
 public:
  // Takes no memory and no time when no layer attenuates.
  Attenuation(const Grid& grid, const Box& own, const Layers& layers, double reference);

  [[nodiscard]] bool on() const { return !memory_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return memory_.size() * sizeof(Real); }

  template <typename Puper>
  void pup(Puper& p) {
    pup_values(p, memory_);
  }

  // Calls body(row) with row(j, k), of RelaxingRow or Elastics.
  template <typename Body>
  void visit(const Body& body) {
    if (on()) {
      body([this](int j, int k) { return row(j, k); });
    } else {
      body([](int, int) { return Elastics{}; });
    }
  }

 private:
  using Level = std::array<Drive<Real>, kMechanisms>;
  [[nodiscard]] RelaxingRow<Real> row(int j, int k);
  [[nodiscard]] static Level drives(const Grid& grid, const Layers& layers, const std::vector<Losses>& losses,
                                    const Relaxation& relaxation, int k);

  Layout layout_;
  Index3 corner_;  // of the subdomain in the grid: mechanisms alternate over the whole of it
  std::vector<Level> levels_;
  FieldMemory<Real> memory_;  // six fields, as the stresses lie in State
};

extern template class Attenuation<float>;
extern template class Attenuation<double>;

}  // namespace ondes3d

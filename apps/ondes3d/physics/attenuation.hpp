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

// The same where each cell has its own rock; what drives the shear stresses is named by the axis that they lack.
template <typename Real>
struct RelaxingCells {
  static constexpr bool kRelaxes = true;
  Real even_decay, odd_decay;
  const Real* diagonals;
  const Real* couplings;
  std::array<const Real*, 3> shear_drives;
  Real ground;  // as in CellRow
  std::array<Real*, 3> normal;
  std::array<Real*, 3> shears;

  [[nodiscard]] RelaxingCells from(int first) const {
    const auto moved = [first](auto rows) {
      for (auto& row : rows) {
        row += first;
      }
      return rows;
    };
    return {first % 2 == 0 ? even_decay : odd_decay,
            first % 2 == 0 ? odd_decay : even_decay,
            diagonals + first,
            couplings + first,
            moved(shear_drives),
            ground,
            moved(normal),
            moved(shears)};
  }
  [[nodiscard]] Real decay(int i) const { return (i & 1) == 0 ? even_decay : odd_decay; }
  [[nodiscard]] Real diagonal(int i) const { return diagonals[i]; }
  [[nodiscard]] Real coupling(int i) const { return couplings[i]; }
  [[nodiscard]] Real diagonal_z(int i) const { return ground * diagonals[i]; }
  [[nodiscard]] Real coupling_z(int i) const { return ground * couplings[i]; }
  template <int kWithout>
  [[nodiscard]] Real shear(int i) const {
    return shear_drives[kWithout][i];
  }
};

// The memory variables of one subdomain. A stress lags behind the elastic one by x, the sum of its cell's variable
// before and after the step: x' = decay x + drive e, ds = M e - (x + x'), e the strain rate times the time step.
template <typename Real>
class Attenuation {
 public:
  // Takes no memory and no time when no layer attenuates.
  Attenuation(const Grid& grid, const Box& own, const Layers& layers, double reference);
  // The same of rock that differs from cell to cell: five numbers more per cell.
  Attenuation(const Grid& grid, const Box& own, const Geology& geology, double reference);

  [[nodiscard]] bool on() const { return !memory_.empty(); }
  [[nodiscard]] std::size_t bytes() const { return (memory_.size() + drives_.size()) * sizeof(Real); }

  template <typename Puper>
  void pup(Puper& p) {
    pup_values(p, memory_);
    pup_values(p, drives_);
  }

  // Calls body(row) with row(j, k): of Elastics or, for the rows of layers, of RelaxingRow, for those of cells with
  // their own rock (kPerCell), of RelaxingCells.
  template <bool kPerCell, typename Body>
  void visit(const Body& body) {
    if (on()) {
      body([this](int j, int k) {
        if constexpr (kPerCell) {
          return cell_row(j, k);
        } else {
          return row(j, k);
        }
      });
    } else {
      body([](int, int) { return Elastics{}; });
    }
  }

 private:
  using Level = std::array<Drive<Real>, kMechanisms>;
  struct Node;
  [[nodiscard]] RelaxingRow<Real> row(int j, int k);
  [[nodiscard]] RelaxingCells<Real> cell_row(int j, int k);
  // Memory variable `field` of the row's first cell.
  [[nodiscard]] Real* memory(int field, int j, int k);
  void fill_plane(int k, bool top, const std::array<double, kMechanisms>& scales, const std::vector<Node>& here,
                  const std::vector<Node>& above);
  [[nodiscard]] static Level drives(const Grid& grid, const Layers& layers, const std::vector<Losses>& losses,
                                    const Relaxation& relaxation, int k);

  Layout layout_;
  Index3 corner_;              // of the subdomain in the grid: mechanisms alternate over the whole of it
  std::vector<Level> levels_;  // of layers
  static constexpr std::size_t kFields = 5;
  static constexpr std::size_t kPadding = 16;  // cells that a vector may read after the last one
  std::vector<Real> drives_;                   // of cells: diagonal, coupling, shear by the axis it lacks
  std::array<Real, kMechanisms> decays_{};
  bool has_ground_ = false;
  FieldMemory<Real> memory_;  // six fields, as the stresses lie in State
};

extern template class Attenuation<float>;
extern template class Attenuation<double>;

}  // namespace ondes3d

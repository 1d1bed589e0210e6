// The rock of one subdomain as the kernels read it, row by row: the same for a whole level, or for each cell its own.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "physics/geology.hpp"
#include "physics/medium.hpp"
#include "physics/packing.hpp"

namespace ondes3d {

// Coefficients of the cells of one row; those of `Level`, named by the component that they multiply.
template <typename Real>
struct LevelRow {
  static constexpr bool kPerCell = false;
  Level<Real> m;

  // The row from cell `first` on, counted from there.
  [[nodiscard]] LevelRow from(int) const { return *this; }
  [[nodiscard]] Real diagonal(int) const { return m.diagonal; }
  [[nodiscard]] Real coupling(int) const { return m.coupling; }
  [[nodiscard]] Real diagonal_z(int) const { return m.diagonal_z; }
  [[nodiscard]] Real coupling_z(int) const { return m.coupling_z; }
  template <int kWithout>  // 0: syz, 1: sxz, 2: sxy
  [[nodiscard]] Real shear(int) const {
    return kWithout == 2 ? m.shear : m.shear_z;
  }
  template <int kAxis>
  [[nodiscard]] Real lightness(int) const {
    return kAxis == 2 ? m.lightness_z : m.lightness;
  }
  [[nodiscard]] Weights<Real> dz() const { return m.dz; }
};

// The same, cell by cell. `ground` is 0 at the top level and 1 below: d_z v_z follows from szz = 0 there.
template <typename Real>
struct CellRow {
  static constexpr bool kPerCell = true;
  const Real* diagonals;
  const Real* couplings;
  std::array<const Real*, 3> shears;
  std::array<const Real*, 3> lightnesses;
  Real ground;
  Weights<Real> weights;

  [[nodiscard]] CellRow from(int first) const {
    const auto moved = [first](std::array<const Real*, 3> rows) {
      return std::array<const Real*, 3>{rows[0] + first, rows[1] + first, rows[2] + first};
    };
    return {diagonals + first, couplings + first, moved(shears), moved(lightnesses), ground, weights};
  }
  [[nodiscard]] Real diagonal(int i) const { return diagonals[i]; }
  [[nodiscard]] Real coupling(int i) const { return couplings[i]; }
  [[nodiscard]] Real diagonal_z(int i) const { return ground * diagonals[i]; }
  [[nodiscard]] Real coupling_z(int i) const { return ground * couplings[i]; }
  template <int kWithout>
  [[nodiscard]] Real shear(int i) const {
    return shears[kWithout][i];
  }
  template <int kAxis>
  [[nodiscard]] Real lightness(int i) const {
    return lightnesses[kAxis][i];
  }
  [[nodiscard]] Weights<Real> dz() const { return weights; }
};

template <typename Real>
class Rock {
 public:
  // Horizontal layers: 13 numbers per level.
  Rock(const Grid& grid, const Box& own, const Layers& layers);
  // Eight numbers per cell: shear moduli are harmonic averages over the four nodes around a component, densities means
  // of the two beside it (Moczo et al. 2002, eqs. 8-10; Graves 1996, eqs. 11-12). Nothing counts as a medium without
  // density and moduli (vacuum formalism: Graves 1996, Zeng et al. 2012), so the ground need not be flat.
  Rock(const Grid& grid, const Box& own, const Geology& geology);

  // Calls body(row) with row(j, k) for either kind, so that kernels are compiled for both.
  template <typename Body>
  void visit(const Body& body) const {
    if (cells_.empty()) {
      body([this](int, int k) { return LevelRow<Real>{levels_[static_cast<std::size_t>(k)]}; });
    } else {
      body([this](int j, int k) { return cell_row(j, k); });
    }
  }
  template <typename Puper>
  void pup(Puper& p) {
    pup_values(p, cells_);
  }
  // Bytes that the coefficients take.
  [[nodiscard]] std::size_t bytes() const {
    return cells_.size() * sizeof(Real) + levels_.size() * sizeof(Level<Real>);
  }

 private:
  static constexpr std::size_t kFields = 8;
  static constexpr std::size_t kPadding = 16;  // cells that a vector may read after the last one
  [[nodiscard]] CellRow<Real> cell_row(int j, int k) const {
    const Real* const row =
        cells_.data() + static_cast<std::size_t>(k * counts_[1] + j) * static_cast<std::size_t>(counts_[0]);
    const auto field = [&](std::size_t n) { return row + n * field_; };
    return {field(0),
            field(1),
            {field(2), field(3), field(4)},
            {field(5), field(6), field(7)},
            levels_[static_cast<std::size_t>(k)].diagonal_z,
            levels_[static_cast<std::size_t>(k)].dz};
  }
  void fill_plane(int k, bool top, double dt, const std::vector<Elastic>& here, const std::vector<Elastic>& above);

  Index3 counts_;
  std::size_t field_ = 0;            // values of one field of cells_
  std::vector<Level<Real>> levels_;  // of the subdomain; beside cells_ only diagonal_z (1 below ground) and dz count
  std::vector<Real> cells_;          // empty: layers
};

extern template class Rock<float>;
extern template class Rock<double>;

}  // namespace ondes3d

// How the material of one subdomain answers strain: elastic rock, and the attenuation that makes stress lag behind.
#pragma once

#include "physics/attenuation.hpp"
#include "physics/rock.hpp"

namespace ondes3d {

// Coefficients of the cells of one row.
template <typename RockRow, typename RelaxRow>
struct RheologyRow {
  RockRow rock;
  RelaxRow relaxation;
};
template <typename RockRow, typename RelaxRow>
RheologyRow(RockRow, RelaxRow) -> RheologyRow<RockRow, RelaxRow>;

// The stress kernels' view of both, which must outlive it.
template <typename Real>
struct Rheology {
  const Rock<Real>& rock;
  Attenuation<Real>& attenuation;

  // Calls body(row) with row(j, k), a RheologyRow, for each kind of rock and attenuation, so that kernels are compiled
  // for all.
  template <typename Body>
  void visit(const Body& body) const {
    rock.visit([&](const auto& rock_row) {
      constexpr bool kPerCell = decltype(rock_row(0, 0))::kPerCell;
      attenuation.template visit<kPerCell>([&](const auto& relax_row) {
        body([&](int j, int k) { return RheologyRow{rock_row(j, k), relax_row(j, k)}; });
      });
    });
  }
};

}  // namespace ondes3d

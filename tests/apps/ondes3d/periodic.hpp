// A grid that repeats itself sideways, so that a few columns carry plane waves of any direction.
#pragma once

#include <functional>

#include "alone.hpp"

namespace ondes3d {

// Without absorbing layers: a rigid wall at the bottom, the free surface at the top.
inline Model columns_of(Index3 cells, double spacing, double timestep, Layers layers = kRock) {
  return model_of(cells, spacing, timestep, 0, std::move(layers));
}

// Position of a field's value: (i, j, k) shifted by half a cell along the axes where the field is staggered.
// Fields count as in State::all(): vx vy vz, sxx syy szz, syz sxz sxy.
inline Vec3 place_of(const Grid& grid, std::size_t field, const Index3& cell) {
  constexpr bool kHalf[9][3] = {{true, false, false},  {false, true, false},  {false, false, true},
                                {false, false, false}, {false, false, false}, {false, false, false},
                                {false, true, true},   {true, false, true},   {true, true, false}};
  Vec3 place{};
  for (std::size_t d = 0; d < 3; ++d) {
    place[d] = grid.corner[d] + (cell[d] + (kHalf[field][d] ? 0.5 : 0.0)) * grid.spacing;
  }
  return place;
}

class Periodic {
 public:
  explicit Periodic(const Model& model) : grid_(model.grid), domain_(model, model.grid.box(), {}) {}

  [[nodiscard]] State<double>& state() { return domain_.state(); }
  [[nodiscard]] const Grid& grid() const { return grid_; }

  // One time step; `force` may add to the stresses before the velocities feel them.
  void step(const std::function<void(State<double>&)>& force = {}) {
    wrap(0, 3);
    domain_.stress(0);
    if (force) {
      force(state());
    }
    wrap(3, 9);
    domain_.velocity();
  }

  // Sets each value of each field to value(field, place), where the scheme keeps one.
  template <typename Value>
  void fill(const Value& value) {
    const auto fields = state().all();
    for (std::size_t f = 0; f < fields.size(); ++f) {
      for (int k = 0; k < grid_.cells[2]; ++k) {
        for (int j = 0; j < grid_.cells[1]; ++j) {
          for (int i = 0; i < grid_.cells[0]; ++i) {
            fields[f][state().layout.at(i, j, k)] = value(f, place_of(grid_, f, {i, j, k}));
          }
        }
      }
    }
  }

 private:
  // Fills the ghosts beside the columns, of the fields from `first` to before `end`.
  void wrap(std::size_t first, std::size_t end);

  Grid grid_;
  Subdomain<double> domain_;
};

}  // namespace ondes3d

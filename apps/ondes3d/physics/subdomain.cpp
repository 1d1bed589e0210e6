#include "physics/subdomain.hpp"

#include <utility>

namespace ondes3d {
namespace {

template <typename Real>
Rock<Real> rock_of(const Model& model, const Box& own) {
  return model.geology ? Rock<Real>(model.grid, own, *model.geology) : Rock<Real>(model.grid, own, model.layers);
}

}  // namespace

Speeds speeds(const Model& model) {
  return model.geology ? model.geology->speeds() : Speeds{fastest_p(model.layers), slowest_wave(model.layers)};
}

template <typename Real>
Subdomain<Real>::Subdomain(const Model& model, const Box& own, std::vector<Source> sources)
    : own_(own),
      has_ground_(own.hi[2] == model.grid.cells[2]),
      weights_(fourth_order<Real>(model.grid.spacing)),
      state_(own),
      rock_(rock_of<Real>(model, own)),
      slabs_(make_slabs<Real>(model.grid, own, speeds(model).fastest, model.cpml)),
      sources_(model.grid, own, state_.layout, std::move(sources)) {}

template <typename Real>
void Subdomain<Real>::intermediates_of_stress() {
  for (Slab<Real>& slab : slabs_) {
    absorb_stress(state_, slab, rock_, weights_);
  }
}

template <typename Real>
void Subdomain<Real>::stress(double time) {
  update_stress(state_, rock_, weights_);
  sources_.add(state_, time);
  if (has_ground_) {
    image_stress(state_);
  }
}

template <typename Real>
void Subdomain<Real>::intermediates_of_velocity() {
  for (Slab<Real>& slab : slabs_) {
    absorb_velocity(state_, slab, rock_, weights_);
  }
}

template <typename Real>
void Subdomain<Real>::velocity() {
  update_velocity(state_, rock_, weights_);
}

template <typename Real>
std::size_t Subdomain<Real>::slab_cells() const {
  std::size_t cells = 0;
  for (const Slab<Real>& slab : slabs_) {
    cells += slab.cells.volume();
  }
  return cells;
}

template class Subdomain<float>;
template class Subdomain<double>;

}  // namespace ondes3d

#include "physics/subdomain.hpp"

#include <utility>

namespace ondes3d {

template <typename Real>
Subdomain<Real>::Subdomain(const Model& model, const Box& own, std::vector<Source> sources)
    : own_(own),
      weights_(fourth_order<Real>(model.grid.spacing)),
      state_(own),
      levels_(make_levels<Real>(model.grid, model.layers)),
      slabs_(make_slabs<Real>(model.grid, own, fastest_p(model.layers), model.cpml)),
      sources_(model.grid, own, state_.layout, std::move(sources)) {}

template <typename Real>
void Subdomain<Real>::intermediates_of_stress() {
  for (Slab<Real>& slab : slabs_) {
    absorb_stress(state_, slab, levels_, weights_);
  }
}

template <typename Real>
void Subdomain<Real>::stress(double time) {
  update_stress(state_, levels_, weights_);
  sources_.add(state_, time);
  image_stress(state_);
}

template <typename Real>
void Subdomain<Real>::intermediates_of_velocity() {
  for (Slab<Real>& slab : slabs_) {
    absorb_velocity(state_, slab, levels_, weights_);
  }
}

template <typename Real>
void Subdomain<Real>::velocity() {
  update_velocity(state_, levels_, weights_);
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

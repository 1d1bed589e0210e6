#include "physics/subdomain.hpp"

#include <chrono>
#include <utility>

namespace ondes3d {
namespace {

template <typename Real>
Rock<Real> rock_of(const Model& model, const Box& own) {
  return model.geology ? Rock<Real>(model.grid, own, *model.geology)
                       : Rock<Real>(model.grid, own, unrelaxed(model.layers, model.cpml.frequency));
}

}  // namespace

Speeds speeds(const Model& model) {
  return model.geology ? model.geology->speeds()
                       : Speeds{fastest_p(unrelaxed(model.layers, model.cpml.frequency)), slowest_wave(model.layers)};
}

template <typename Real>
Subdomain<Real>::Subdomain(const Model& model, const Box& own, std::vector<Source> sources)
    : own_(own),
      has_ground_(own.hi[2] == model.grid.cells[2]),
      weights_(fourth_order<Real>(model.grid.spacing)),
      state_(own),
      rock_(rock_of<Real>(model, own)),
      attenuation_(model.grid, own, model.geology ? Layers{} : model.layers, model.cpml.frequency),
      slabs_(make_slabs<Real>(model.grid, own, speeds(model).fastest, model.cpml)),
      sources_(model.grid, own, state_.layout, std::move(sources)) {}

template <typename Real>
template <typename Update, typename Absorb>
double Subdomain<Real>::sweep(const Update& update, const Absorb& absorb) {
  using Clock = std::chrono::steady_clock;
  Clock::duration absorbing{};
  const auto begin = Clock::now();
  for_each_block(state_.layout, sizeof(Real), [&](const Rows& rows) {
    update(rows);
    if (!slabs_.empty()) {
      const auto updated = Clock::now();
      for (Slab<Real>& slab : slabs_) {
        absorb(slab, rows);
      }
      absorbing += Clock::now() - updated;
    }
  });
  const auto all = Clock::now() - begin;
  return all.count() > 0 ? static_cast<double>(absorbing.count()) / static_cast<double>(all.count()) : 0;
}

template <typename Real>
double Subdomain<Real>::stress(double time) {
  const double share = sweep(
      [&](const Rows& rows) { update_stress(state_, rock_, attenuation_, weights_, rows); },
      [&](Slab<Real>& slab, const Rows& rows) { absorb_stress(state_, slab, rock_, attenuation_, weights_, rows); });
  sources_.add(state_, time);
  if (has_ground_) {
    image_stress(state_);
  }
  return share;
}

template <typename Real>
double Subdomain<Real>::velocity() {
  return sweep([&](const Rows& rows) { update_velocity(state_, rock_, weights_, rows); },
               [&](Slab<Real>& slab, const Rows& rows) { absorb_velocity(state_, slab, rock_, weights_, rows); });
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

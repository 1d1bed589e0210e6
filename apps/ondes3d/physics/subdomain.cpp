#include "physics/subdomain.hpp"

#include <chrono>
#include <utility>

namespace ondes3d {
namespace {

template <typename Real>
Rock<Real> rock_of(const Model& model, const Box& own) {
  if (!model.geology) {
    return Rock<Real>(model.grid, own, unrelaxed(model.layers, model.cpml.frequency));
  }
  return model.geology->attenuates()
             ? Rock<Real>(model.grid, own, UnrelaxedGeology(*model.geology, model.cpml.frequency))
             : Rock<Real>(model.grid, own, *model.geology);
}

template <typename Real>
Attenuation<Real> attenuation_of(const Model& model, const Box& own) {
  return model.geology ? Attenuation<Real>(model.grid, own, *model.geology, model.cpml.frequency)
                       : Attenuation<Real>(model.grid, own, model.layers, model.cpml.frequency);
}

// What `all` has outside of `inner`: planes, then rows, then parts of rows.
std::vector<Box> around(const Box& all, const Box& inner) {
  if (inner.volume() == 0) {
    return {all};
  }
  std::vector<Box> rest;
  Box left = all;
  for (const std::size_t d : {2U, 1U, 0U}) {
    Box low = left;
    Box high = left;
    low.hi[d] = left.lo[d] = inner.lo[d];
    high.lo[d] = left.hi[d] = inner.hi[d];
    for (const Box& part : {low, high}) {
      if (part.volume() > 0) {
        rest.push_back(part);
      }
    }
  }
  return rest;
}

}  // namespace

Box inner_cells(const Grid& grid, const Box& own) {
  constexpr int kVector = 16;
  constexpr int kWorthAnEnd = 64;
  int ends = 0;
  Box inner = relative_to(own, own.lo);
  for (std::size_t d = 0; d < 3; ++d) {
    if (own.lo[d] > 0) {
      inner.lo[d] += d == 0 ? kVector : kGhost;
      ends += d == 0 ? 1 : 0;
    }
    if (own.hi[d] < grid.cells[d]) {
      inner.hi[d] -= kGhost;
      inner.hi[d] -= d == 0 ? inner.hi[d] % kVector : 0;
      ends += d == 0 ? 1 : 0;
    }
  }
  return inner.extent(0) >= kWorthAnEnd * ends ? inner : Box{};
}

bool attenuates(const Model& model) { return model.geology ? model.geology->attenuates() : attenuates(model.layers); }

Speeds speeds(const Model& model) {
  return model.geology ? Speeds{model.geology->fastest_unrelaxed(model.cpml.frequency), model.geology->speeds().slowest}
                       : Speeds{fastest_p(unrelaxed(model.layers, model.cpml.frequency)), slowest_wave(model.layers)};
}

// Times by macro kernel.
template <typename Real>
class Subdomain<Real>::Laps {
 public:
  // What passed since the call before.
  void book(double KernelShares::*kernel) {
    const Clock::time_point now = Clock::now();
    seconds_.*kernel += std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  [[nodiscard]] KernelShares shares() const {
    const double all = seconds_.intermediates + seconds_.stress + seconds_.velocity;
    return all > 0 ? KernelShares{seconds_.intermediates / all, seconds_.stress / all, seconds_.velocity / all}
                   : KernelShares{0, 1, 0};
  }

 private:
  using Clock = std::chrono::steady_clock;
  KernelShares seconds_;
  Clock::time_point last_ = Clock::now();
};

template <typename Real>
Subdomain<Real>::Subdomain(const Model& model, const Box& own, std::vector<Source> sources)
    : own_(own),
      has_ground_(own.hi[2] == model.grid.cells[2]),
      inner_(inner_cells(model.grid, own)),
      outer_(around(relative_to(own, own.lo), inner_)),
      weights_(fourth_order<Real>(model.grid.spacing)),
      state_(own),
      rock_(rock_of<Real>(model, own)),
      attenuation_(attenuation_of<Real>(model, own)),
      slabs_(make_slabs<Real>(model.grid, own, speeds(model).fastest, model.cpml)),
      sources_(model.grid, own, state_.layout, std::move(sources)) {}

template <typename Real>
void Subdomain<Real>::stress_of(const Rows& rows, Laps& laps) {
  const Rheology<Real> rheology{rock_, attenuation_};
  update_stress(state_, rheology, weights_, rows);
  if (!slabs_.empty()) {
    laps.book(&KernelShares::stress);
    for (Slab<Real>& slab : slabs_) {
      absorb_stress(state_, slab, rheology, weights_, rows);
    }
    laps.book(&KernelShares::intermediates);
  }
  sources_.add(state_, rows);
  if (has_ground_ && rows.k + 1 == own_.extent(2)) {
    image_stress(state_, rows);
  }
}

template <typename Real>
void Subdomain<Real>::velocity_of(const Rows& rows, Laps& laps) {
  update_velocity(state_, rock_, weights_, rows);
  if (!slabs_.empty()) {
    laps.book(&KernelShares::velocity);
    for (Slab<Real>& slab : slabs_) {
      absorb_velocity(state_, slab, rock_, weights_, rows);
    }
    laps.book(&KernelShares::intermediates);
  }
}

template <typename Real>
KernelShares Subdomain<Real>::climb(double time, const Box& behind) {
  sources_.set_time(time);
  Laps laps;
  const auto [nx, ny, nz] = state_.layout.cells;
  const bool both = behind.volume() > 0;
  const int band = rows_of_band(state_.layout, sizeof(Real), both ? 2 : 1);
  for (int first = 0; first < ny; first += band) {
    const int last = std::min(first + band, ny);
    // Velocity needs the stresses two rows and two planes on, Stress the old velocities two planes back.
    const int begin = std::max(first - kGhost, behind.lo[1]);
    const int end = last == ny ? behind.hi[1] : std::min(last - kGhost, behind.hi[1]);
    for (int k = 0; k < nz + kGhost; ++k) {
      if (k < nz) {
        stress_of({k, first, last, 0, nx}, laps);
      }
      const int below = k - kGhost;
      if (both && below >= behind.lo[2] && below < behind.hi[2] && begin < end) {
        laps.book(&KernelShares::stress);
        velocity_of({below, begin, end, behind.lo[0], behind.hi[0]}, laps);
        laps.book(&KernelShares::velocity);
      }
    }
  }
  laps.book(&KernelShares::stress);
  return laps.shares();
}

template <typename Real>
KernelShares Subdomain<Real>::velocity() {
  Laps laps;
  for_each_block(relative_to(own_, own_.lo), rows_of_band(state_.layout, sizeof(Real)),
                 [&](const Rows& rows) { velocity_of(rows, laps); });
  laps.book(&KernelShares::velocity);
  return laps.shares();
}

template <typename Real>
KernelShares Subdomain<Real>::outer_velocity() {
  Laps laps;
  for (const Box& box : outer_) {
    for_each_block(box, rows_of_band(state_.layout, sizeof(Real)), [&](const Rows& rows) { velocity_of(rows, laps); });
  }
  laps.book(&KernelShares::velocity);
  return laps.shares();
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

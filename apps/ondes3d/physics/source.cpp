#include "physics/source.hpp"

#include <cmath>
#include <numbers>
#include <utility>

namespace ondes3d {

MomentTensor double_couple(double strike, double dip, double rake) {
  constexpr double kRadian = std::numbers::pi / 180;
  const double sf = std::sin(strike * kRadian), cf = std::cos(strike * kRadian);
  const double s2f = std::sin(2 * strike * kRadian), c2f = std::cos(2 * strike * kRadian);
  const double sd = std::sin(dip * kRadian), cd = std::cos(dip * kRadian);
  const double s2d = std::sin(2 * dip * kRadian), c2d = std::cos(2 * dip * kRadian);
  const double sl = std::sin(rake * kRadian), cl = std::cos(rake * kRadian);
  MomentTensor m;
  m.normal = {sd * cl * s2f - s2d * sl * cf * cf, -(sd * cl * s2f + s2d * sl * sf * sf), s2d * sl};
  m.shear = {cd * cl * cf + c2d * sl * sf,  // North-up
             cd * cl * sf - c2d * sl * cf,  // East-up
             sd * cl * c2f + 0.5 * s2d * sl * s2f};
  return m;
}

double moment_rate(std::span<const float> rate, double interval, double t, int first) {
  const double at = t / interval;
  const double before = std::floor(at);
  if (at < 0 || before + 1 < first || before >= static_cast<double>(rate.size()) + first) {
    return 0;
  }
  const auto sample = [&](double n) {
    const double place = n - first;
    return place >= 0 && place < static_cast<double>(rate.size())
               ? static_cast<double>(rate[static_cast<std::size_t>(place)])
               : 0;
  };
  const double left = sample(before);
  return left + (at - before) * (sample(before + 1) - left);
}

Stencil stencil(const Grid& grid, const Vec3& position, std::array<bool, 3> half) {
  const Vec3 at = grid.in_cells(position);
  Stencil s;
  for (std::size_t d = 0; d < 3; ++d) {
    const double place = at[d] - (half[d] ? 0.5 : 0.0);
    // The last plane of a field at half positions along z would lie above the ground.
    const int last = grid.cells[d] - (d == 2 && half[d] ? 2 : 1);
    if (d == 2 && place > last) {
      s.base[d] = last - 2;
      const double t = place - s.base[d];
      s.weight[d] = {(t - 1) * (t - 2) / 2, t * (2 - t), t * (t - 1) / 2};
    } else {
      s.base[d] = std::clamp(static_cast<int>(std::floor(place)), 0, last - 1);
      const double t = place - s.base[d];
      s.weight[d] = {1 - t, t, 0};
    }
  }
  return s;
}

bool touches(const Grid& grid, const Box& own, const Vec3& position) {
  const Vec3 at = grid.in_cells(position);
  constexpr int kReach = 3;
  for (std::size_t d = 0; d < 3; ++d) {
    if (at[d] < own.lo[d] - kReach || at[d] > own.hi[d] + kReach) {
      return false;
    }
  }
  return true;
}

template <typename Real>
SourceTerm<Real>::SourceTerm(const Grid& grid, const Box& own, const Layout& layout, std::vector<Source> sources) {
  for (Source& source : sources) {
    place(grid, own, layout, std::move(source));
  }
}

template <typename Real>
void SourceTerm<Real>::place(const Grid& grid, const Box& own, const Layout& layout, Source source) {
  Active active{{}, std::move(source.rate), source.interval, source.first};
  const MomentTensor m = double_couple(source.point.strike, source.point.dip, source.point.rake);
  const double scale = -grid.timestep / (grid.spacing * grid.spacing * grid.spacing);
  const auto spread = [&](int field, double moment, std::array<bool, 3> half) {
    for_each_point(stencil(grid, source.point.position, half), [&](const Index3& cell, double weight) {
      if (moment != 0 && own.contains(cell)) {
        active.shares.push_back(
            {field, layout.at(cell[0] - own.lo[0], cell[1] - own.lo[1], cell[2] - own.lo[2]), scale * moment * weight});
      }
    });
  };
  for (std::size_t d = 0; d < 3; ++d) {
    spread(static_cast<int>(3 + d), m.normal[d], {false, false, false});
    spread(static_cast<int>(6 + d), m.shear[d], {d != 0, d != 1, d != 2});
  }
  if (!active.shares.empty()) {
    active_.push_back(std::move(active));
  }
}

template <typename Real>
void SourceTerm<Real>::add(State<Real>& state, double time) const {
  const auto fields = state.all();
  for (const Active& source : active_) {
    const double rate = moment_rate(source.rate, source.interval, time, source.first);
    if (rate == 0) {
      continue;
    }
    for (const Share& share : source.shares) {
      fields[static_cast<std::size_t>(share.field)][share.cell] += static_cast<Real>(share.factor * rate);
    }
  }
}

template class SourceTerm<float>;
template class SourceTerm<double>;

}  // namespace ondes3d

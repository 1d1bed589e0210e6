#include "physics/source.hpp"

#include <algorithm>
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
SourceTerm<Real>::SourceTerm(const Grid& grid, const Box& own, const Layout& layout, std::vector<Source> sources)
    : rows_of_plane_(static_cast<std::size_t>(layout.cells[1])) {
  for (Source& source : sources) {
    place(grid, own, layout, std::move(source));
  }
  if (shares_.empty()) {
    return;
  }
  // Stable: to a cell the sources go on adding in their order.
  std::stable_sort(shares_.begin(), shares_.end(), [](const Share& a, const Share& b) { return a.row < b.row; });
  const std::size_t rows = rows_of_plane_ * static_cast<std::size_t>(layout.cells[2]);
  begins_.reserve(rows + 1);
  std::size_t n = 0;
  for (std::size_t row = 0; row <= rows; ++row) {
    while (n < shares_.size() && shares_[n].row < row) {
      ++n;
    }
    begins_.push_back(n);
  }
}

template <typename Real>
void SourceTerm<Real>::place(const Grid& grid, const Box& own, const Layout& layout, Source source) {
  const std::size_t before = shares_.size();
  const MomentTensor m = double_couple(source.point.strike, source.point.dip, source.point.rake);
  const double scale = -grid.timestep / (grid.spacing * grid.spacing * grid.spacing);
  const auto spread = [&](std::size_t field, double moment, std::array<bool, 3> half) {
    for_each_point(stencil(grid, source.point.position, half), [&](const Index3& cell, double weight) {
      if (moment != 0 && own.contains(cell)) {
        const Index3 at{cell[0] - own.lo[0], cell[1] - own.lo[1], cell[2] - own.lo[2]};
        const std::size_t row = static_cast<std::size_t>(at[2]) * rows_of_plane_ + static_cast<std::size_t>(at[1]);
        shares_.push_back({row, field, layout.at(at[0], at[1], at[2]), active_.size(), scale * moment * weight});
      }
    });
  };
  for (std::size_t d = 0; d < 3; ++d) {
    spread(3 + d, m.normal[d], {false, false, false});
    spread(6 + d, m.shear[d], {d != 0, d != 1, d != 2});
  }
  if (shares_.size() > before) {
    active_.push_back({std::move(source.rate), source.interval, source.first, 0});
  }
}

template <typename Real>
void SourceTerm<Real>::set_time(double time) {
  for (Active& source : active_) {
    source.now = moment_rate(source.rate, source.interval, time, source.first);
  }
}

template <typename Real>
void SourceTerm<Real>::add(State<Real>& state, const Rows& rows) const {
  if (begins_.empty()) {
    return;
  }
  const auto fields = state.all();
  const std::size_t plane = static_cast<std::size_t>(rows.k) * rows_of_plane_;
  const std::size_t end = begins_[plane + static_cast<std::size_t>(rows.last)];
  for (std::size_t n = begins_[plane + static_cast<std::size_t>(rows.first)]; n < end; ++n) {
    const Share& share = shares_[n];
    if (const double rate = active_[share.source].now; rate != 0) {
      fields[share.field][share.cell] += static_cast<Real>(share.factor * rate);
    }
  }
}

template class SourceTerm<float>;
template class SourceTerm<double>;

}  // namespace ondes3d

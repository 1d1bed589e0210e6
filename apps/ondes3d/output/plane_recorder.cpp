#include "output/plane_recorder.hpp"

#include <cmath>
#include <utility>

#include "output/node_velocity.hpp"
#include "parallel/halo.hpp"

namespace ondes3d {
namespace {

constexpr int kPlaneTag = 310;

// Puts the samples of `part` into the whole lattice.
template <typename Real>
void paste(const std::vector<Real>& from, const Box& part, const Lattice& lattice, int components,
           std::vector<Real>& whole) {
  const auto width = static_cast<std::ptrdiff_t>(part.extent(0)) * components;
  auto run = from.begin();
  for (int k = part.lo[2]; k < part.hi[2]; ++k) {
    for (int j = part.lo[1]; j < part.hi[1]; ++j, run += width) {
      const std::ptrdiff_t at = (static_cast<std::ptrdiff_t>(k) * lattice.count[1] + j) * lattice.count[0] + part.lo[0];
      std::copy_n(run, width, whole.begin() + at * components);
    }
  }
}

}  // namespace

template <typename Real>
PlaneRecorder<Real>::PlaneRecorder(MPI_Comm comm, const Grid& grid, const Decomposition& columns, Plane plane)
    : comm_(comm), grid_(grid), columns_(columns), plane_(std::move(plane)) {
  MPI_Comm_rank(comm, &rank_);
  samples_ = plane_.lattice.samples_in(columns.own(rank_));
  peak_.assign(samples_.volume(), Real{0});
}

template <typename Real>
void PlaneRecorder<Real>::raise_peaks(const State<Real>& state) {
  auto peak = peak_.begin();
  const bool ground = plane_.is_ground();
  for_each_velocity(NodeVelocities(state, grid_, columns_.own(rank_)), plane_.lattice, samples_,
                    [&](const std::array<Real, 3>& v) {
                      *peak = std::max(*peak, std::sqrt(v[0] * v[0] + v[1] * v[1] + (ground ? Real{0} : v[2] * v[2])));
                      ++peak;
                    });
}

template <typename Real>
void PlaneRecorder<Real>::keep_snapshot(const State<Real>& state, double time) {
  kept_.push_back({time, {}});
  kept_.back().up.reserve(samples_.volume());
  for_each_velocity(NodeVelocities(state, grid_, columns_.own(rank_)), plane_.lattice, samples_,
                    [&](const std::array<Real, 3>& v) { kept_.back().up.push_back(v[2]); });
}

template <typename Real>
std::vector<Real> PlaneRecorder<Real>::gather_velocity(const State<Real>& state) const {
  std::vector<Real> mine;
  mine.reserve(3 * samples_.volume());
  for_each_velocity(NodeVelocities(state, grid_, columns_.own(rank_)), plane_.lattice, samples_,
                    [&](const std::array<Real, 3>& v) { mine.insert(mine.end(), v.begin(), v.end()); });
  return gather(mine, 3);
}

template <typename Real>
PlaneResult PlaneRecorder<Real>::gather_result() const {
  const std::vector<Real> peak = gather(peak_, 1);
  PlaneResult result{plane_, {peak.begin(), peak.end()}, {}};
  for (const Kept& kept : kept_) {
    const std::vector<Real> up = gather(kept.up, 1);
    result.snapshots.push_back({kept.time, {up.begin(), up.end()}});
  }
  return result;
}

template <typename Real>
std::vector<Real> PlaneRecorder<Real>::gather(const std::vector<Real>& mine, int components) const {
  if (rank_ != 0) {
    if (!mine.empty()) {
      MPI_Send(mine.data(), static_cast<int>(mine.size()), mpi_type<Real>(), 0, kPlaneTag, comm_);
    }
    return {};
  }
  const auto values = static_cast<std::size_t>(components);
  std::vector<Real> whole(values * plane_.lattice.box().volume());
  paste(mine, samples_, plane_.lattice, components, whole);
  for (int other = 1; other < columns_.ranks(); ++other) {
    const Box part = plane_.lattice.samples_in(columns_.own(other));
    if (part.volume() == 0) {
      continue;
    }
    std::vector<Real> theirs(values * part.volume());
    MPI_Recv(theirs.data(), static_cast<int>(theirs.size()), mpi_type<Real>(), other, kPlaneTag, comm_,
             MPI_STATUS_IGNORE);
    paste(theirs, part, plane_.lattice, components, whole);
  }
  return whole;
}

template class PlaneRecorder<float>;
template class PlaneRecorder<double>;

}  // namespace ondes3d

#include "parallel/watch.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace ondes3d {
namespace {

// A rank's finding, as sent to rank 0.
struct Report {
  Finding finding;  // of step 0: none
  Elastic rock;     // there
};

Elastic rock_at(const Model& model, const Index3& node) {
  const Grid& grid = model.grid;
  const double z = grid.corner[2] + grid.spacing * node[2];
  return model.geology ? model.geology->at(node)
                       : effective_medium(model.layers, z - grid.spacing / 2, z + grid.spacing / 2);
}

// Earlier, or at the same step what is not finite, or faster.
bool before(const Finding& a, const Finding& b) {
  const auto size = [](double speed) { return std::isfinite(speed) ? speed : std::numeric_limits<double>::infinity(); };
  return a.step != b.step ? a.step < b.step : size(a.speed) > size(b.speed);
}

// The sources' end, and until the slowest wave has crossed the cells between two rows that are looked at.
int silent_after(const Model& model, const SourceStrength& strength) {
  const Grid& grid = model.grid;
  const double seconds = strength.end + 8 * grid.spacing / speeds(model).slowest;
  return static_cast<int>(std::min(seconds / grid.timestep + 20, static_cast<double>(grid.steps)));
}

}  // namespace

template <typename Real>
DivergenceWatch<Real>::DivergenceWatch(MPI_Comm comm, const Model& model, const Box& own,
                                       const SourceStrength& strength)
    : comm_(comm),
      model_(model),
      strength_(strength),
      silent_(silent_after(model, strength)),
      divergence_(own, speed_bound(model, strength)) {}

template <typename Real>
bool DivergenceWatch<Real>::check_stable(int done, const State<Real>& state) {
  divergence_.look(done, state);
  if (done % kEvery != 0 && done != model_.grid.steps) {
    return true;
  }
  // 1 where a rank has found something.
  const std::array<double, 2> own{divergence_.finding() ? 1.0 : 0.0, divergence_.peak()};
  std::array<double, 2> most{};
  MPI_Allreduce(own.data(), most.data(), 2, MPI_DOUBLE, MPI_MAX, comm_);
  peak_ = most[1];
  if (most[0] == 0) {
    lower_bound(done);
    return true;
  }
  gather_findings();
  return false;
}

template <typename Real>
void DivergenceWatch<Real>::lower_bound(int done) {
  if (!lowered_ && done >= silent_ && peak_ > 0) {
    lowered_ = true;
    divergence_.bound(std::min(speed_bound(model_, strength_), kLaterGrowth * peak_));
  }
}

template <typename Real>
void DivergenceWatch<Real>::gather_findings() {
  int rank = 0;
  int ranks = 0;
  MPI_Comm_rank(comm_, &rank);
  MPI_Comm_size(comm_, &ranks);
  Report own;
  if (divergence_.finding()) {
    own = {*divergence_.finding(), rock_at(model_, divergence_.finding()->node)};
  }
  std::vector<Report> all(rank == 0 ? static_cast<std::size_t>(ranks) : 0);
  MPI_Gather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, 0, comm_);
  const Report* first = nullptr;
  for (const Report& report : all) {
    if (report.finding.step > 0 && (first == nullptr || before(report.finding, first->finding))) {
      first = &report;
    }
  }
  if (first != nullptr) {
    complaint_ = explain(first->finding, first->rock, model_, strength_);
  }
}

template class DivergenceWatch<float>;
template class DivergenceWatch<double>;

}  // namespace ondes3d

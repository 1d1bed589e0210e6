#include "parallel/halo.hpp"

#include <cstdlib>
#include <tuple>
#include <utility>

namespace ondes3d {
namespace {

// Which stresses the velocities need from a neighbour along an axis: those whose derivative crosses the border.
std::vector<std::size_t> stresses_across(std::size_t axis) {
  return {3 + axis, 6 + (axis + 1) % 3, 6 + (axis + 2) % 3};
}

// Cells along one axis of the rim towards `direction`, or of the ghosts beyond it.
std::pair<int, int> range(int cells, int direction, bool ghosts) {
  if (direction == 0) {
    return {0, cells};
  }
  const int first = direction > 0 ? cells - (ghosts ? 0 : kGhost) : (ghosts ? -kGhost : 0);
  return {first, first + kGhost};
}

template <typename Real, typename Visit>
void for_each_run(const Layout& layout, const Box& box, Real* field, const Visit& visit) {
  for (int k = box.lo[2]; k < box.hi[2]; ++k) {
    for (int j = box.lo[1]; j < box.hi[1]; ++j) {
      visit(field + layout.at(box.lo[0], j, k));
    }
  }
}

}  // namespace

template <typename Real>
Halo<Real>::Halo(MPI_Comm comm, const Decomposition& columns, int rank, const State<Real>& state, Of what)
    : comm_(comm), layout_(state.layout) {
  for (const int dz : {-1, 0, 1}) {
    for (const int dy : {-1, 0, 1}) {
      for (const int dx : {-1, 0, 1}) {
        // No derivative looks around an edge; stations that stand between several ranks do, at velocities.
        const int axes = std::abs(dx) + std::abs(dy) + std::abs(dz);
        if (axes == 1 || (axes > 1 && what == Of::kVelocity)) {
          connect(columns, rank, what, {dx, dy, dz});
        }
      }
    }
  }
  requests_.resize(2 * links_.size(), MPI_REQUEST_NULL);
}

template <typename Real>
void Halo<Real>::connect(const Decomposition& columns, int rank, Of what, Index3 direction) {
  const auto peer = columns.neighbour(rank, direction);
  if (!peer) {
    return;
  }
  Link link;
  link.peer = *peer;
  const int base = what == Of::kVelocity ? 100 : 200;
  const int number = 9 * direction[2] + 3 * direction[1] + direction[0];
  link.send_tag = base + number;
  link.receive_tag = base - number;
  for (std::size_t d = 0; d < 3; ++d) {
    std::tie(link.send.lo[d], link.send.hi[d]) = range(layout_.cells[d], direction[d], false);
    std::tie(link.receive.lo[d], link.receive.hi[d]) = range(layout_.cells[d], direction[d], true);
  }
  if (what == Of::kVelocity) {
    link.fields = {0, 1, 2};
  } else {
    link.fields = stresses_across(direction[0] != 0 ? 0U : direction[1] != 0 ? 1U : 2U);
  }
  const std::size_t values = link.fields.size() * link.send.volume();
  link.outgoing = std::vector<Real>(values);
  link.incoming = std::vector<Real>(values);
  links_.push_back(std::move(link));
}

template <typename Real>
void Halo<Real>::start(const State<Real>& state) {
  const auto fields = state.all();
  std::size_t request = 0;
  for (Link& link : links_) {
    MPI_Irecv(link.incoming.data(), static_cast<int>(link.incoming.size()), mpi_type<Real>(), link.peer,
              link.receive_tag, comm_, &requests_[request++]);
  }
  for (Link& link : links_) {
    Real* to = link.outgoing.data();
    for (const std::size_t field : link.fields) {
      for_each_run(layout_, link.send, fields[field],
                   [&](const Real* run) { to = std::copy_n(run, link.send.extent(0), to); });
    }
    MPI_Isend(link.outgoing.data(), static_cast<int>(link.outgoing.size()), mpi_type<Real>(), link.peer, link.send_tag,
              comm_, &requests_[request++]);
  }
}

template <typename Real>
void Halo<Real>::finish(State<Real>& state) {
  const auto fields = state.all();
  MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  for (Link& link : links_) {
    const Real* from = link.incoming.data();
    const int cells = link.receive.extent(0);
    for (const std::size_t field : link.fields) {
      for_each_run(layout_, link.receive, fields[field], [&](Real* run) {
        std::copy_n(from, cells, run);
        from += cells;
      });
    }
  }
}

template class Halo<float>;
template class Halo<double>;

}  // namespace ondes3d

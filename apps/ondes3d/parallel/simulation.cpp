#include "parallel/simulation.hpp"

#include <cmath>
#include <utility>

#include "parallel/weft.hpp"

namespace ondes3d {
namespace {

constexpr int kTraceTag = 302;
constexpr int kMapTag = 303;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

Index3 cell_of(const Grid& grid, const Vec3& position) {
  const Vec3 at = grid.in_cells(position);
  return {static_cast<int>(std::floor(at[0])), static_cast<int>(std::floor(at[1])),
          static_cast<int>(std::floor(at[2]))};
}

// Puts the surface cells of `own` into the map of the whole grid.
void paste(const SurfaceMap& part, const Box& own, const Grid& grid, SurfaceMap& whole) {
  auto from = part.begin();
  for (int j = own.lo[1]; j < own.hi[1]; ++j) {
    std::copy_n(from, own.extent(0), whole.begin() + own.lo[0] + static_cast<std::ptrdiff_t>(j) * grid.cells[0]);
    from += own.extent(0);
  }
}

}  // namespace

template <typename Real>
Simulation<Real>::Simulation(MPI_Comm comm, const Case& c, const Decomposition& columns, std::vector<Source> sources,
                             RunOptions options)
    : comm_(comm),
      rank_(rank_in(comm)),
      case_(c),
      columns_(columns),
      options_(options),
      domain_(c.model, columns.own(rank_), std::move(sources)),
      stress_halo_(comm, columns, rank_, domain_.state(), Halo<Real>::Of::kStress),
      velocity_halo_(comm, columns, rank_, domain_.state(), Halo<Real>::Of::kVelocity),
      peak_(static_cast<std::size_t>(domain_.own().extent(0)) * static_cast<std::size_t>(domain_.own().extent(1)),
            0.0F) {
  for (std::size_t n = 0; n < c.stations.size(); ++n) {
    const Vec3& position = c.stations[n].position;
    const Index3 cell = cell_of(c.model.grid, position);
    if (columns.owner(cell[0], cell[1]) == rank_) {
      listeners_.push_back({n, {c.model.grid, domain_.own(), domain_.state().layout, position}, {}});
      listeners_.back().trace.reserve(static_cast<std::size_t>(c.model.grid.steps));
    }
  }
}

template <typename Real>
Results Simulation<Real>::run(const std::function<void(int)>& progress) {
  const Grid& grid = case_.model.grid;
  const double begin = MPI_Wtime();
  for (int n = 0; n < grid.steps; ++n) {
    step(n);
    progress(n + 1);
    if (options_.migrate_every > 0 && (n + 1) % options_.migrate_every == 0) {
      let_ranks_move();
    }
  }
  Results results;
  const double seconds = MPI_Wtime() - begin;
  MPI_Reduce(&seconds, &results.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, comm_);
  results.traces = gather_traces();
  results.peak_velocity = gather_map(grid.steps * grid.timestep, peak_);
  for (const Picture& snapshot : snapshots_) {
    results.snapshots.push_back(gather_map(snapshot.time, snapshot.map));
  }
  results.load = gather(comm_, load_);
  return results;
}

// Keller Tesser 2016, Fig. 1b: three kernels, two exchanges, no global step.
template <typename Real>
void Simulation<Real>::step(int number) {
  load_.book(Kernel::kIntermediates, [&] { domain_.intermediates_of_stress(); });
  load_.book(Kernel::kStress, [&] { domain_.stress(number * case_.model.grid.timestep); });
  stress_halo_.start();
  stress_halo_.finish();
  load_.book(Kernel::kIntermediates, [&] { domain_.intermediates_of_velocity(); });
  load_.book(Kernel::kVelocity, [&] { domain_.velocity(); });
  velocity_halo_.start();
  record(number);
  velocity_halo_.finish();
  for (Listener& listener : listeners_) {
    listener.trace.push_back(listener.probe.read(domain_.state()));
  }
}

template <typename Real>
void Simulation<Real>::record(int number) {
  raise_peak_velocity(peak_, domain_.state());
  if (snapshot_due(number + 1)) {
    snapshots_.push_back({(number + 1) * case_.model.grid.timestep, vertical_velocity(domain_.state())});
  }
}

template <typename Real>
bool Simulation<Real>::snapshot_due(int steps_done) const {
  const int steps = case_.model.grid.steps;
  const auto taken = [&](int n) { return static_cast<long long>(n) * options_.snapshots / steps; };
  return taken(steps_done) > taken(steps_done - 1);
}

template <typename Real>
std::vector<Trace> Simulation<Real>::gather_traces() {
  const int values = 3 * case_.model.grid.steps;
  if (rank_ != 0) {
    for (const Listener& listener : listeners_) {
      MPI_Send(listener.trace.data(), values, MPI_FLOAT, 0, kTraceTag, comm_);
    }
    return {};
  }
  std::vector<Trace> traces(case_.stations.size());
  for (Listener& listener : listeners_) {
    traces[listener.station] = std::move(listener.trace);
  }
  for (std::size_t n = 0; n < traces.size(); ++n) {
    const Index3 cell = cell_of(case_.model.grid, case_.stations[n].position);
    if (const int owner = columns_.owner(cell[0], cell[1]); owner != 0) {
      traces[n].resize(static_cast<std::size_t>(case_.model.grid.steps));
      MPI_Recv(traces[n].data(), values, MPI_FLOAT, owner, kTraceTag, comm_, MPI_STATUS_IGNORE);
    }
  }
  return traces;
}

template <typename Real>
Picture Simulation<Real>::gather_map(double time, const SurfaceMap& map) {
  if (rank_ != 0) {
    MPI_Send(map.data(), static_cast<int>(map.size()), MPI_FLOAT, 0, kMapTag, comm_);
    return {time, {}};
  }
  const Grid& grid = case_.model.grid;
  Picture picture{time, SurfaceMap(static_cast<std::size_t>(grid.cells[0]) * static_cast<std::size_t>(grid.cells[1]))};
  paste(map, domain_.own(), grid, picture.map);
  for (int other = 1; other < columns_.ranks(); ++other) {
    const Box own = columns_.own(other);
    SurfaceMap part(static_cast<std::size_t>(own.extent(0)) * static_cast<std::size_t>(own.extent(1)));
    MPI_Recv(part.data(), static_cast<int>(part.size()), MPI_FLOAT, other, kMapTag, comm_, MPI_STATUS_IGNORE);
    paste(part, own, grid, picture.map);
  }
  return picture;
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace ondes3d

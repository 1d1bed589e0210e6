#include "parallel/simulation.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include "parallel/memory.hpp"
#include "parallel/weft.hpp"

namespace ondes3d {
namespace {

constexpr int kTraceTag = 302;

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
      load_(c.model.grid.steps),
      divergence_(comm, c.model, domain_.own(), options.strength) {
  for (std::size_t n = 0; n < c.stations.size(); ++n) {
    const Vec3& position = c.stations[n].position;
    const Index3 cell = cell_of(c.model.grid, position);
    if (columns.owner(cell) == rank_) {
      station_recorders_.push_back({n, {c.model.grid, domain_.own(), domain_.state().layout, position}, {}});
      station_recorders_.back().trace.reserve(static_cast<std::size_t>(c.model.grid.steps));
    }
  }
}

template <typename Real>
Results Simulation<Real>::run(const Watch& watch) {
  const Grid& grid = case_.model.grid;
  std::optional<PackedInMoves<Simulation>> packed;
  if (!options_.as_it_lies) {
    packed.emplace(*this);
  }
  const double begin = MPI_Wtime();
  for (int n = 0; n < grid.steps; ++n) {
    step(n);
    if (!divergence_.check_stable(n + 1, domain_.state())) {
      Results ended;
      ended.diverged = true;
      ended.complaint = divergence_.complaint();
      return ended;
    }
    watch(n + 1, domain_.state());
    if (options_.migrate_every > 0 && (n + 1) % options_.migrate_every == 0) {
      let_ranks_move();
    }
  }
  Results results;
  const double seconds = MPI_Wtime() - begin;
  MPI_Reduce(&seconds, &results.seconds, 1, MPI_DOUBLE, MPI_MAX, 0, comm_);
  results.traces = gather_traces();
  results.load = gather(comm_, load_);
  results.memory = peak_memory(comm_);
  return results;
}

// Keller Tesser 2016, Fig. 1b: three kernels, two exchanges, no global step.
template <typename Real>
void Simulation<Real>::step(int number) {
  load_.begin_step(number);
  load_.book([&] { return domain_.stress_and_inner_velocity(number * case_.model.grid.timestep); });
  stress_halo_.start(domain_.state());
  stress_halo_.finish(domain_.state());
  load_.book([&] { return domain_.outer_velocity(); });
  velocity_halo_.start(domain_.state());
  velocity_halo_.finish(domain_.state());
  for (StationRecorder& recorder : station_recorders_) {
    recorder.trace.push_back(recorder.probe.read(domain_.state()));
  }
}

template <typename Real>
std::vector<Trace> Simulation<Real>::gather_traces() {
  const int values = 3 * case_.model.grid.steps;
  if (rank_ != 0) {
    for (const StationRecorder& recorder : station_recorders_) {
      MPI_Send(recorder.trace.data(), values, MPI_DOUBLE, 0, kTraceTag, comm_);
    }
    return {};
  }
  std::vector<Trace> traces(case_.stations.size());
  for (StationRecorder& recorder : station_recorders_) {
    traces[recorder.station] = std::move(recorder.trace);
  }
  for (std::size_t n = 0; n < traces.size(); ++n) {
    const Index3 cell = cell_of(case_.model.grid, case_.stations[n].position);
    if (const int owner = columns_.owner(cell); owner != 0) {
      traces[n].resize(static_cast<std::size_t>(case_.model.grid.steps));
      MPI_Recv(traces[n].data(), values, MPI_DOUBLE, owner, kTraceTag, comm_, MPI_STATUS_IGNORE);
    }
  }
  return traces;
}

template class Simulation<float>;
template class Simulation<double>;

}  // namespace ondes3d

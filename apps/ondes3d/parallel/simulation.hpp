// The time loop of one rank, and the gathering of what all ranks recorded.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <vector>

#include "input/case.hpp"
#include "parallel/decomposition.hpp"
#include "parallel/halo.hpp"
#include "parallel/load.hpp"
#include "parallel/watch.hpp"
#include "physics/recorder.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {

struct RunOptions {
  int migrate_every = 50;   // steps between two calls of MPI_Migrate under Weft; 0: never
  bool as_it_lies = false;  // a rank that leaves its process sends its heap, without pup()
  SourceStrength strength;  // of all sources
};

// Complete on rank 0 only.
struct Results {
  std::vector<Trace> traces;  // as the stations
  LoadTable load;
  double seconds = 0;     // of the time loop, slowest rank
  double memory = 0;      // bytes, of the largest process
  bool diverged = false;  // on all ranks; then there is nothing else
  std::string complaint;  // what happened, one line
};

template <typename Real>
class Simulation {
 public:
  // `c` as share_model() left it, without its sources; `sources` as share_sources() returned them, `options` with the
  // strength of all of them. No messages: memory that runs out on one rank leaves none waiting.
  Simulation(MPI_Comm comm, const Case& c, const Decomposition& columns, std::vector<Source> sources,
             RunOptions options);

  // Collective. Calls watch(steps done, state) on every rank after each step; the velocities' ghosts are up to date
  // then. Ends early when the waves diverge.
  using Watch = std::function<void(int, const State<Real>&)>;
  [[nodiscard]] Results run(const Watch& watch);

  // Between two steps: what grows with the cells. Everything else of the rank moves as it lies.
  template <typename Puper>
  void pup(Puper& p) {
    domain_.pup(p);
    stress_halo_.pup(p);
    velocity_halo_.pup(p);
  }

 private:
  struct StationRecorder {
    std::size_t station;
    Probe<Real> probe;
    Trace trace;
  };
  void step(int number);
  // Collective.
  [[nodiscard]] std::vector<Trace> gather_traces();

  MPI_Comm comm_;
  int rank_ = 0;
  const Case& case_;
  const Decomposition& columns_;
  RunOptions options_;
  Subdomain<Real> domain_;
  Halo<Real> stress_halo_;
  Halo<Real> velocity_halo_;
  std::vector<StationRecorder> station_recorders_;
  Load load_;
  DivergenceWatch<Real> divergence_;
};

extern template class Simulation<float>;
extern template class Simulation<double>;

}  // namespace ondes3d

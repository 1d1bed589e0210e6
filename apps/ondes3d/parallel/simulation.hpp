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
#include "physics/recorder.hpp"
#include "physics/subdomain.hpp"

namespace ondes3d {

struct RunOptions {
  int snapshots = 6;       // pictures of the wave field, evenly spaced in time
  int migrate_every = 50;  // steps between two calls of MPI_Migrate under Weft; 0: never
};

// The surface at one moment, or its peaks; the whole grid on rank 0, x fastest, absorbing layers included.
struct Picture {
  double time = 0;  // s
  SurfaceMap map;
};

// Complete on rank 0 only.
struct Results {
  std::vector<Trace> traces;  // as the stations
  Picture peak_velocity;
  std::vector<Picture> snapshots;
  LoadTable load;
  double seconds = 0;  // of the time loop, slowest rank
};

template <typename Real>
class Simulation {
 public:
  // Collective. `c` as share_model() left it, without its sources; `sources` as share_sources() returned them.
  Simulation(MPI_Comm comm, const Case& c, const Decomposition& columns, std::vector<Source> sources,
             RunOptions options);

  // Collective. Calls progress(steps done) after each step.
  [[nodiscard]] Results run(const std::function<void(int)>& progress);

 private:
  struct Listener {
    std::size_t station;
    Probe<Real> probe;
    Trace trace;
  };
  void step(int number);
  void record(int number);
  [[nodiscard]] bool snapshot_due(int steps_done) const;
  // Collective.
  [[nodiscard]] std::vector<Trace> gather_traces();
  [[nodiscard]] Picture gather_map(double time, const SurfaceMap& map);

  MPI_Comm comm_;
  int rank_ = 0;
  const Case& case_;
  const Decomposition& columns_;
  RunOptions options_;
  Subdomain<Real> domain_;
  Halo<Real> stress_halo_;
  Halo<Real> velocity_halo_;
  std::vector<Listener> listeners_;
  SurfaceMap peak_;
  std::vector<Picture> snapshots_;
  Load load_;
};

extern template class Simulation<float>;
extern template class Simulation<double>;

}  // namespace ondes3d

// The input of a balancing decision: what all workers and ranks of a job did in one LB interval, the time since the
// last step.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/ids.hpp"
#include "lb/migbsp_history.hpp"
#include "lb/strategy.hpp"
#include "trace/worker_interval.hpp"

namespace weft::lb {

// The rank does not ask for a worker.
constexpr std::uint32_t kAnyWorker = std::numeric_limits<std::uint32_t>::max();

// One rank.
struct RankInterval {
  RankId rank{};
  WorkerId home{};
  double work = 0.0;                  // seconds at speed 1
  std::uint64_t bytes = 0;            // to move, when it leaves its process
  bool may_leave = true;              // it can be packed
  bool is_declared = false;           // the program has said what `work` is
  std::uint32_t wanted = kAnyWorker;  // the worker that it asks for; takes precedence over the strategy
};

// One rank, from one call of MPI_Migrate to the next.
struct RankSuperstep {
  double work = 0.0;  // seconds at speed 1
  std::vector<Edge> sent;
};

// REQUIRES: all workers are added before the ranks.
struct Observation {
  Observation() = default;
  Observation(std::size_t ranks, std::size_t workers);

  void add_worker(WorkerId worker, const trace::WorkerInterval& interval, const Place& place);
  void add_rank(const RankInterval& rank);
  // `t`: number of the superstep among the known ones, which are the last ones of the interval.
  void add_superstep(std::size_t t, RankId rank, const RankSuperstep& superstep);

  std::uint64_t call = 0;                        // of MPI_Migrate, counted from 1, at which the step is made
  Instance measured;                             // ranks are numbered from 0
  std::vector<trace::WorkerInterval> intervals;  // by worker
  std::vector<Superstep> supersteps;             // empty if the strategy does not use them
  std::vector<std::uint32_t> wanted;             // by rank
  std::vector<RankId> declared;                  // ranks whose program has said what their work is
};

}  // namespace weft::lb

// What a balancing step is decided from: what all workers and ranks of a job did in one LB interval, the time since the
// last step.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/ids.hpp"
#include "lb/interval_load.hpp"
#include "lb/migbsp_history.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

// No worker that a rank asks for.
constexpr std::uint32_t kAnyWorker = std::numeric_limits<std::uint32_t>::max();

// One rank.
struct RankInterval {
  RankId rank{};
  WorkerId home{};
  double work = 0.0;                  // seconds at speed 1
  std::uint64_t bytes = 0;            // to move, when it leaves its process
  bool may_leave = true;              // it can be packed
  std::uint32_t wanted = kAnyWorker;  // the worker that it asks for; goes before the strategy
};

// One rank, from one call of MPI_Migrate to the next.
struct RankSuperstep {
  double work = 0.0;  // seconds at speed 1
  std::vector<Edge> sent;
};

// Add all workers first, then the ranks.
struct Observation {
  Observation() = default;
  Observation(std::size_t ranks, std::size_t workers);

  void add_worker(WorkerId worker, const IntervalLoad& interval, const Place& place);
  void add_rank(const RankInterval& rank);
  // The t-th of those that are known; the last ones of the interval.
  void add_superstep(std::size_t t, RankId rank, const RankSuperstep& superstep);

  std::uint64_t call = 0;               // of MPI_Migrate, counted from 1, at which the step is made
  Instance measured;                    // ranks are numbered from 0
  std::vector<IntervalLoad> intervals;  // by worker
  std::vector<Superstep> supersteps;    // none where the strategy does not look at them
  std::vector<std::uint32_t> wanted;    // by rank
};

}  // namespace weft::lb

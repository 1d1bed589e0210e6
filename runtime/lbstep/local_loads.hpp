// Ranks arrive at a balancing step; the last one collects the loads of this process's ranks and workers.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/lbstep/step_options.hpp"
#include "runtime/lbstep/supersteps.hpp"
#include "runtime/sched/interval_meters.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Why the calling rank cannot be packed until it has run again; or null.
const char* why_pinned(const JobContext& job, const Rank& me);

// arrive() is for any worker. The others are called by the last rank or, in a process without ranks, under the step's
// lock.
class LocalLoads {
 public:
  explicit LocalLoads(const JobContext& job);

  // Called on the rank's fibre when it has come to the step. True for the last rank of this process.
  bool arrive(Rank& me, const StepOptions& options);
  // Called by the last rank, while all others wait or are about to. Resets the loads if the step balances; else they
  // continue.
  StepArrival collect(const Rank& last, const StepOptions& options);
  // The arrival of a process without ranks.
  StepArrival without_ranks();
  // Null where the strategy does not use supersteps.
  Supersteps* supersteps() const { return supersteps_.get(); }

 private:
  static void note_pinned(const Rank& rank, StepArrival& arrival);
  RankReport report_of(Rank& rank, StepArrival& arrival);
  void add_workers(StepArrival& arrival);
  std::uint32_t worker_of(const Rank& rank) const;

  const JobContext& job_;
  std::atomic<std::uint32_t> arrived_ = 0;
  std::vector<std::uint64_t> bytes_;  // by rank: bytes that a move copies; each rank writes its own before it arrives
  WorkerIntervalMeters intervals_;    // used by the thread that collects
  const std::unique_ptr<Supersteps> supersteps_;
};

}  // namespace lbstep
}  // namespace weft::runtime

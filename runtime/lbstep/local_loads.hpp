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
#include "runtime/sched/lb_intervals.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Why the rank, which asks for itself, cannot be packed until it has run again; or null.
const char* why_pinned(const JobContext& job, const Rank& me);

class LocalLoads {
 public:
  explicit LocalLoads(const JobContext& job);

  // On the rank's fibre: it has come to the step. True for the last rank of this process.
  bool arrive(Rank& me, const StepOptions& options);
  // By that rank: all others wait, or are about to. Loads are taken where the step balances; else they go on.
  StepArrival collect(const Rank& last, const StepOptions& options);
  // Of a process without ranks.
  StepArrival without_ranks();
  // Null where the strategy does not look at them.
  Supersteps* supersteps() const { return supersteps_.get(); }

 private:
  static void note_pinned(const Rank& rank, StepArrival& arrival);
  RankReport report_of(Rank& rank, StepArrival& arrival);
  void add_workers(StepArrival& arrival);
  std::uint32_t worker_of(const Rank& rank) const;

  const JobContext& job_;
  std::atomic<std::uint32_t> arrived_ = 0;
  std::vector<std::uint64_t> bytes_;  // by rank, to move it: each one's own, written before it arrives
  WorkerIntervals intervals_;         // of the one thread that collects
  const std::unique_ptr<Supersteps> supersteps_;
};

}  // namespace lbstep
}  // namespace weft::runtime

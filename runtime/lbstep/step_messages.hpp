// What processes tell each other in a step. For the step's own files.
#pragma once

#include <string>
#include <vector>

#include "pup/pup.hpp"
#include "runtime/control/wire.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/lbstep/supersteps.hpp"
#include "runtime/lbstep/tree_messages.hpp"
#include "runtime/sched/lb_interval.hpp"

namespace weft::runtime {

// One rank of an arrival.
struct RankReport {
  double seconds = 0;
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;  // through the whole job
  std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
  bool may_leave = true;
  std::uint64_t bytes = 0;                  // to move, when it leaves its process
  std::vector<SuperstepReport> supersteps;  // empty where the strategy does not look at them
  void pup(pup::Puper& p) { p | seconds | rank | worker | wanted | may_leave | bytes | supersteps; }
};

// One worker of an arrival.
struct WorkerReport {
  IntervalLoad window;
  std::uint32_t numa = 0;
  void pup(pup::Puper& p) { p | window | numa; }
};

struct StepArrival {
  std::uint64_t call = 0;  // of migrate()
  bool balance = true;
  std::string checkpoint;
  std::uint32_t live = 0;         // ranks of this process
  std::vector<RankReport> ranks;  // none of them where steps are decided in parts
  std::uint32_t process = 0;
  std::uint32_t host = 0;
  std::vector<WorkerReport> workers;
  std::vector<EdgeReport> edges;
  std::string pinned;
  void pup(pup::Puper& p) {
    p | call | balance | checkpoint | live | ranks | process | host | workers | edges | pinned;
  }
};

struct Step::Plan {
  std::string checkpoint;
  std::vector<NewHome> changes;    // where steps are decided in parts only those that all must know
  bool moves = false;              // some rank moves
  Choice choice = Choice::stay;    // where steps are decided in parts
  bool balanced = false;           // the strategy has been asked
  std::uint64_t call = 0;          // of migrate(), which this step is
  std::uint64_t next_balance = 0;  // the one at which the strategy decides again
  void pup(pup::Puper& p) { p | checkpoint | changes | moves | choice | balanced | call | next_balance; }
};

// What one process has written of a checkpoint.
struct Step::Saved {
  std::string failure;  // why it is not whole; empty: it is
  std::uint32_t first_context = 0;
  std::vector<CheckpointEntry> entries;
  void pup(pup::Puper& p) { p | failure | first_context | entries; }
};

}  // namespace weft::runtime

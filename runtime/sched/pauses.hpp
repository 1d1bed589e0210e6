// Waiting without MPI: where the program calls sched_yield(), nanosleep() or the like, its worker's other ranks run.
// The functions are called on any thread of the program.
#pragma once

#include "runtime/sched/sleeping_ranks.hpp"

namespace weft::runtime {
inline namespace sched {

class RankContext;

enum class Pause {
  done,
  interrupted,  // a signal handler of the rank ran
  refused,      // nothing was done, since no rank's fibre calls or it must not be suspended: make the system call
};

// done: another rank has run. refused also where no other rank was ready.
Pause let_others_run();
// The calling rank sleeps, and its worker's other ranks run. Where `until` is past, only those that are ready run.
Pause sleep_until(MonotonicTime until);
// As let_others_run(), to preempt a rank: called on the rank's fibre, between two instructions of the program.
void preempt();
// Ends the sleep of a rank one of whose signal handlers has run. Async-signal-safe.
void interrupt_sleep(RankContext& rank);

// While one exists, the functions above do not suspend the running rank. For calls of functions of the program where
// the runtime cannot go on with another rank.
class SuspensionGuard {
 public:
  SuspensionGuard();
  ~SuspensionGuard();
  SuspensionGuard(const SuspensionGuard&) = delete;
  SuspensionGuard& operator=(const SuspensionGuard&) = delete;

 private:
  RankContext& rank_;
};

}  // namespace sched
}  // namespace weft::runtime

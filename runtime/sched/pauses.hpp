// Ranks that wait without MPI: sched_yield(), nanosleep() and their like in the program let the worker's other ranks
// run. All are called by the program, on any thread.
#pragma once

#include "runtime/sched/sleeping_ranks.hpp"

namespace weft::runtime {
inline namespace sched {

class RankContext;

enum class Pause {
  done,
  interrupted,  // a signal handler of the rank's ran
  refused,  // nothing was done: no rank's fibre calls, or one that must not be suspended; the system's call is right
};

// done: another rank has run. refused also where nobody else had something to do.
Pause let_others_run();
// The calling rank sleeps; its worker's other ranks run. A time that has come lets those run that are ready.
Pause sleep_until(MonotonicTime until);
// As let_others_run(), for a rank that is preempted: it is called on the rank's fibre, between two instructions of the
// program.
void preempt();
// A signal handler of this rank has run: ends its sleep. Fit for signal handlers.
void interrupt_sleep(RankContext& rank);

// While it lives the running rank is not suspended by the calls above: in functions of the program that are called
// where the runtime cannot go on with another rank.
class NoPauses {
 public:
  NoPauses();
  ~NoPauses();
  NoPauses(const NoPauses&) = delete;
  NoPauses& operator=(const NoPauses&) = delete;

 private:
  RankContext& rank_;
};

}  // namespace sched
}  // namespace weft::runtime

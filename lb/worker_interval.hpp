// Measures a worker's LB intervals, from what is known of its thread and its core: the runtime from the system's
// clocks, a simulator from simulated ones.
#pragma once

#include "lb/interval_load.hpp"

namespace weft::lb {

// A worker's life so far, in seconds.
struct ThreadTimes {
  double at = 0;       // when this was read
  double ran = 0;      // its thread had a core: ranks, the runtime, polling
  double slept = 0;    // it had nothing to do
  double blocked = 0;  // a rank made it wait: for a file, for another thread
  double waited = 0;   // it could have run and others had its core, or a quota was used up
};

// Of the core, in seconds since some time before.
struct CoreUse {
  double idle = 0;    // nothing to run
  double stolen = 0;  // the hypervisor gave the core to somebody else
};

// Of a worker that is not bound to a core only `wall` and `ran` are known, and its speed is 1.
class WorkerInterval {
 public:
  // The first interval begins. `core`: what the system says of the worker's core, or null where that is not known now.
  void begin(const ThreadTimes& now, const CoreUse* core);
  IntervalLoad next(const ThreadTimes& now, const CoreUse* core, bool bound);

 private:
  void note_core(const ThreadTimes& now, const CoreUse& core);
  void note_speed(const IntervalLoad& load, double throttled);

  ThreadTimes before_;
  // A stretch of intervals that is long against the system's clock ticks.
  ThreadTimes stretch_begin_;
  CoreUse stretch_core_;
  bool stretch_began_ = false;
  double others_share_ = 0;  // of the time in which the worker's thread did not run, that of others
  double stolen_share_ = 0;
  bool wait_is_others_ = true;  // what the thread waited was others' time, not a quota's
  // Since `speed_` was last looked at.
  double wall_ = 0;
  double ran_ = 0;
  double throttled_ = 0;
  double speed_ = 1;
};

}  // namespace weft::lb

// Measures a worker's LB intervals from the times of its thread and its core. The runtime passes the system's times,
// the simulator simulated ones.
#pragma once

#include "trace/worker_interval.hpp"

namespace weft::lb {

// Times of a worker since its start, in seconds.
struct ThreadTimes {
  double at = 0;       // when these times were read
  double ran = 0;      // its thread had a core: ranks, the runtime, polling
  double slept = 0;    // it had nothing to do
  double blocked = 0;  // a rank blocked it: on a file, on another thread
  double waited = 0;   // it was runnable, but others had its core or a quota was used up
};

// Times of a core, in seconds since some fixed time.
struct CoreUse {
  double idle = 0;    // nothing to run
  double stolen = 0;  // the hypervisor ran another guest
};

// For a worker that is not bound to a core only `wall` and `ran` are measured, and its speed is 1.
class IntervalMeter {
 public:
  // Begins the first interval. `core`: the times of the worker's core; null: not read this time.
  void begin(const ThreadTimes& now, const CoreUse* core);
  // Ends an interval and begins the next one. `bound`: to a core.
  trace::WorkerInterval next(const ThreadTimes& now, const CoreUse* core, bool bound);

 private:
  void update_core_shares(const ThreadTimes& now, const CoreUse& core);
  void update_speed(const trace::WorkerInterval& interval, double throttled);

  ThreadTimes before_;
  // The current sample: some intervals that together are long compared to the system's clock ticks.
  ThreadTimes sample_begin_;
  CoreUse sample_core_;
  bool sample_has_begun_ = false;
  double others_share_ = 0;  // share of others in the time in which the worker's thread did not run
  double stolen_share_ = 0;
  bool wait_is_others_ = true;  // the thread waited for others, not for a new period of a quota
  // Sums since `speed_` was last updated.
  double wall_ = 0;
  double ran_ = 0;
  double throttled_ = 0;
  double speed_ = 1;
};

}  // namespace weft::lb

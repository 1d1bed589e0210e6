// Measures a worker's LB intervals.
#pragma once

#include "lb/interval_load.hpp"
#include "runtime/meter/core_times.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {
inline namespace sched {

// Of a worker that is not bound to a core only `wall` and `ran` are known, and its speed is 1.
class WorkerInterval {
 public:
  // The first interval begins. `core`: what the system says of the worker's core, or null where that is not known now.
  void begin(const WorkerTimes& now, const CoreTimes* core);
  lb::IntervalLoad next(const WorkerTimes& now, const CoreTimes* core, bool bound);

 private:
  void note_core(const WorkerTimes& now, const CoreTimes& core);
  void note_speed(const lb::IntervalLoad& load, double throttled);

  WorkerTimes before_;
  // A stretch of intervals that is long against the system's clock ticks.
  WorkerTimes stretch_begin_;
  CoreTimes stretch_core_;
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

}  // namespace sched
}  // namespace weft::runtime

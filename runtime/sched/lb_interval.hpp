// What a worker's window, the time from one balancing step to the next, says of its core. Gupta/Sarood 2013, eq. 2, and
// what eq. 2 leaves open.
#pragma once

#include "pup/pup.hpp"
#include "runtime/meter/core_times.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {

// Seconds of the window, except `speed`.
struct IntervalLoad {
  double wall = 0;
  double ran = 0;         // the worker's thread: T_lb - O_p - idle
  double background = 0;  // O_p: others had the core, whether the worker wanted it or not
  double stolen = 0;      // of that, to the hypervisor's other guests, as far as the system tells
  double contended = 0;   // what others would have of the core if the worker had work all the time
  double speed = 1;       // what the core gives a worker that nobody else on it disturbs: below 1 where it is throttled
  void pup(pup::Puper& p) { p | wall | ran | background | stolen | contended | speed; }
};

// Of a worker that is not bound to a core only `wall` and `ran` are known, and its speed is 1.
class WorkerInterval {
 public:
  // The first window begins. `core`: what the system says of the worker's core, or null where that is not known now.
  void begin(const WorkerTimes& now, const CoreTimes* core);
  IntervalLoad next(const WorkerTimes& now, const CoreTimes* core, bool bound);

 private:
  void note_core(const WorkerTimes& now, const CoreTimes& core);
  void note_speed(const IntervalLoad& load, double throttled);

  WorkerTimes before_;
  // A stretch of windows that is long against the system's clock ticks.
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

}  // namespace weft::runtime

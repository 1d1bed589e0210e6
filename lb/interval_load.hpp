// How a worker's core was used in an LB interval, the time from one balancing step to the next. Gupta/Sarood 2013, eq.
// 2, and what eq. 2 leaves open.
#pragma once

namespace weft::lb {

// Seconds of the interval, except `speed`. For a worker that is not bound to a core only `wall` and `ran` are known.
struct IntervalLoad {
  double wall = 0;
  double ran = 0;         // the worker's thread: T_lb - O_p - idle
  double background = 0;  // O_p: other threads had the core, whether the worker wanted it or not
  double stolen = 0;      // of `background`: used by other guests of the hypervisor, as far as the system reports it
  double contended = 0;   // time that others would have the core if the worker had work all the time
  double speed = 1;       // what the core gives a worker without other load on it: below 1 if it is throttled
};

}  // namespace weft::lb

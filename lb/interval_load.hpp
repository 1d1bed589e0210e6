// What an LB interval, the time from one balancing step to the next, says of a worker's core. Gupta/Sarood 2013, eq. 2,
// and what eq. 2 leaves open.
#pragma once

namespace weft::lb {

// Seconds of the interval, except `speed`. Where the worker is not bound to a core only `wall` and `ran` are known.
struct IntervalLoad {
  double wall = 0;
  double ran = 0;         // the worker's thread: T_lb - O_p - idle
  double background = 0;  // O_p: others had the core, whether the worker wanted it or not
  double stolen = 0;      // of that, to the hypervisor's other guests, as far as the system tells
  double contended = 0;   // what others would have of the core if the worker had work all the time
  double speed = 1;       // what the core gives a worker that nobody else on it disturbs: below 1 where it is throttled
};

}  // namespace weft::lb

// What a worker did from one call of MPI_Migrate to the next: the terms of Gupta/Sarood 2013, eq. 2, and some that the
// equation does not have. Events of EventKind::interval contain it.
#pragma once

#include "trace/event.hpp"

namespace weft::trace {

// Seconds, except `speed`. For a worker that is not bound to a core only `wall` and `ran` are known.
struct WorkerInterval {
  double wall = 0;
  double ran = 0;         // the worker's thread: T_lb - O_p - idle
  double background = 0;  // O_p: other threads had the core, whether the worker wanted it or not
  double stolen = 0;      // of `background`: used by other guests of the hypervisor, as far as the system reports it
  double contended = 0;   // time that others would have the core if the worker had work all the time
  double speed = 1;       // what the core gives a worker without other load on it: below 1 if it is throttled
};

// Resolution: a nanosecond (`wall`, `background`), a microsecond (other times, at most 35 minutes), 1e-6 (`speed`).
Event event_of(const WorkerInterval& interval);
// REQUIRES: an event of that kind.
WorkerInterval interval_of(const Event& event);

}  // namespace weft::trace

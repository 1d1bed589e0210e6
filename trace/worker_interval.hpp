// What a worker did from one call of MPI_Migrate to the next: the contents of events of EventKind::interval.
#pragma once

#include "trace/event.hpp"

namespace weft::trace {

// Seconds, except `speed`. The same fields as lb::IntervalLoad.
struct WorkerInterval {
  double wall = 0;
  double ran = 0;         // the worker's thread had a core
  double background = 0;  // others had the core
  double stolen = 0;      // of `background`: used by other guests of the hypervisor
  double contended = 0;   // time that others would have the core if the worker had work all the time
  double speed = 1;       // of the core: below 1 if it is throttled
};

// Resolution: a nanosecond (`wall`, `background`), a microsecond (other times, at most 35 minutes), 1e-6 (`speed`).
Event event_of(const WorkerInterval& interval);
// REQUIRES: an event of that kind.
WorkerInterval interval_of(const Event& event);

}  // namespace weft::trace

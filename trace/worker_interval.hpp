// What a worker did from one call of MPI_Migrate to the next, as events of EventKind::interval hold it.
#pragma once

#include "trace/event.hpp"

namespace weft::trace {

// Seconds, but for `speed`; as lb::IntervalLoad.
struct WorkerInterval {
  double wall = 0;
  double ran = 0;         // the worker's thread had a core
  double background = 0;  // others had the core
  double stolen = 0;      // of that, to the hypervisor's other guests
  double contended = 0;   // what others would have of the core if the worker had work all the time
  double speed = 1;       // of the core: below 1 where it is throttled
};

// Kept to a nanosecond (`wall`, `background`), a microsecond (the other times, up to 35 minutes) and a millionth.
Event event_of(const WorkerInterval& interval);
// REQUIRES: an event of that kind.
WorkerInterval interval_of(const Event& event);

}  // namespace weft::trace

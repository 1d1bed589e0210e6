// Merges the traces of a job's processes, each with times by its own clock, into one.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/clock.hpp"
#include "trace/event.hpp"

namespace weft::trace {

struct ProcessTrace {
  Trace trace;
  std::uint32_t host = 0;  // processes of one host have one tick counter
  ClockReading begin;
  ClockReading end;
};

// Workers are numbered process after process. Times are ticks of the first process's counter (see ClockTranslation).
// REQUIRES: the trace of at least one process.
Trace merge(std::vector<ProcessTrace> parts);

}  // namespace weft::trace

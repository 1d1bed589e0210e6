// Parts of one job's trace, each written by one process by its own clock, become one.
#pragma once

#include <cstdint>
#include <vector>

#include "trace/event.hpp"

namespace weft::trace {

// One moment by both clocks of a process.
struct Moment {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;  // of the host's clock of the day
};

struct Part {
  Trace trace;
  std::uint32_t host = 0;  // processes of one host have one tick counter
  Moment begin;
  Moment end;
};

// Workers are numbered process after process. Times are ticks of the first part's counter: other hosts' are translated
// by their clocks of the day, and are as good as these agree. REQUIRES: a part.
Trace merge(std::vector<Part> parts);

}  // namespace weft::trace

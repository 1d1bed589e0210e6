// Converts times between the clocks of a job's processes.
#pragma once

#include <cstdint>

namespace weft::trace {

// Both clocks of a process, read at the same moment.
struct ClockReading {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;  // of the host's real-time clock
};

struct Clock {
  std::uint32_t host = 0;  // processes of the same host have the same tick counter
  ClockReading begin;
  ClockReading end;
  std::uint64_t ticks_per_second = 0;  // as known at the start of the process
};

double ticks_per_nanosecond(const Clock& clock);

// Converts a process's ticks to those of the first process. Times of other hosts are converted by the real-time clocks,
// so they are as accurate as these are synchronized.
class ClockTranslation {
 public:
  ClockTranslation(const Clock& first, const Clock& clock);
  std::uint64_t time(std::uint64_t ticks) const;
  std::int64_t duration(std::int64_t ticks) const;

 private:
  bool same_;
  std::uint64_t from_;
  double rate_;
  double to_;
};

}  // namespace weft::trace

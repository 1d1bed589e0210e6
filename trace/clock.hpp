// Translates times between the clocks of a job's processes.
#pragma once

#include <cstdint>

namespace weft::trace {

// One moment by both clocks of a process.
struct Moment {
  std::uint64_t ticks = 0;
  std::int64_t nanoseconds = 0;  // of the host's clock of the day
};

struct Clock {
  std::uint32_t host = 0;  // processes of one host have one tick counter
  Moment begin;
  Moment end;
  std::uint64_t ticks_per_second = 0;  // as the process knew when it began
};

double ticks_per_nanosecond(const Clock& clock);

// A process's ticks in those of the first process. Other hosts' are translated by their clocks of the day, and are as
// good as these agree.
class Translation {
 public:
  Translation(const Clock& first, const Clock& clock);
  std::uint64_t time(std::uint64_t ticks) const;
  std::int64_t duration(std::int64_t ticks) const;

 private:
  bool same_;
  std::uint64_t from_;
  double rate_;
  double to_;
};

}  // namespace weft::trace

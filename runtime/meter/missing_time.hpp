// Time for which others had the core of a worker that wanted to run.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace meter {

// Ticks. `at`: of the last reading of the thread's clocks that found something missing; 0: there was none yet.
struct MissingTime {
  std::uint64_t since = 0;  // the reading before
  std::uint64_t at = 0;
  std::uint64_t taken = 0;    // of the time between these others had the core so long
  std::uint64_t long_at = 0;  // the last reading at which somebody had had the core for long
};

// Of the time between the two readings.
inline double share_of(const MissingTime& missing) {
  const double all = static_cast<double>(missing.at - missing.since);
  return all > static_cast<double>(missing.taken) ? static_cast<double>(missing.taken) / all : 1.0;
}

}  // namespace meter
}  // namespace weft::runtime

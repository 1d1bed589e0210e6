// Time for which a worker that wanted to run was off the CPU, since others had its core.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace meter {

// In ticks. `at`: the last reading of the thread's clocks that found such time; 0: there was none yet.
struct OffCpuTime {
  std::uint64_t since = 0;  // the reading before
  std::uint64_t at = 0;
  std::uint64_t taken = 0;    // for how long others had the core between these two
  std::uint64_t long_at = 0;  // the last reading that found that others had had the core for long
};

// The part of the time between the two readings in which others had the core.
inline double off_cpu_share(const OffCpuTime& off_cpu) {
  const double all = static_cast<double>(off_cpu.at - off_cpu.since);
  return all > static_cast<double>(off_cpu.taken) ? static_cast<double>(off_cpu.taken) / all : 1.0;
}

}  // namespace meter
}  // namespace weft::runtime

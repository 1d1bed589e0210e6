// Time for which a worker that wanted to run was off the CPU, since others had its core.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace meter {

// In ticks of the time stamp counter. WorkerMeter reads the thread's clocks from time to time, and notes here the last
// two successive readings between which others had the core.
struct OffCpuTime {
  std::uint64_t since = 0;    // the first of the two
  std::uint64_t at = 0;       // the second; 0: there was no such time yet
  std::uint64_t taken = 0;    // for how long others had the core between these two
  std::uint64_t long_at = 0;  // the last reading before which others had the core for more than a time slice
};

// The fraction of the time between the two readings in which others had the core, 0 to 1.
inline double off_cpu_share(const OffCpuTime& off_cpu) {
  const double all = static_cast<double>(off_cpu.at - off_cpu.since);
  return all > static_cast<double>(off_cpu.taken) ? static_cast<double>(off_cpu.taken) / all : 1.0;
}

}  // namespace meter
}  // namespace weft::runtime

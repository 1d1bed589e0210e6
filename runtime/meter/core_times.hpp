// CPU time of each core, as the system counts it in /proc/stat.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace weft::runtime {
inline namespace meter {

// Seconds since the machine's start, in steps of a clock tick (10 ms).
struct CoreTimes {
  double idle = 0;    // nothing to run, or nothing but waiting for a disk
  double stolen = 0;  // the hypervisor gave the core to somebody else
};

// By the system's number of the core.
using CoreTable = std::map<std::uint32_t, CoreTimes>;

// The lines "cpuN …" of /proc/stat; `tick` is one unit's seconds.
CoreTable parse_core_times(std::string_view text, double tick);

// Ten microseconds and more, with the machine's size. Empty where the file cannot be read.
CoreTable read_core_times();

}  // namespace meter
}  // namespace weft::runtime

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
  double idle = 0;    // it had nothing to run, or only threads that waited for a disk
  double stolen = 0;  // the hypervisor gave the core to somebody else
};

// By the system's core number.
using CoreTable = std::map<std::uint32_t, CoreTimes>;

// Parses the lines "cpuN …" of /proc/stat; `tick`: the seconds of one unit.
CoreTable parse_core_times(std::string_view text, double tick);

// Reads /proc/stat: takes ten microseconds or more, depending on the number of cores. Empty if it cannot be read.
CoreTable read_core_times();

}  // namespace meter
}  // namespace weft::runtime

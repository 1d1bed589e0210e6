// Matches the two ends of every channel of a workload.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

struct Pairing {
  std::vector<std::uint64_t> first;   // by rank: the index of its first channel in `number`
  std::vector<std::uint32_t> number;  // by rank and channel of its template: the channel's number in the job
  std::uint32_t channels = 0;         // in the job
};

// Throws WorkloadError, which names the ranks, if a peer does not exist or the ends differ in the number of messages.
Pairing pair_channels(const Workload& workload);

}  // namespace weft::sim

// How many ranks the kernel's limit on memory mappings lets one process hold.
#pragma once

#include <cstdint>

namespace weft::image {

struct Capacity {
  std::uint64_t limit = 0;  // vm.max_map_count
  std::uint64_t used = 0;   // mappings of this process now
  std::uint64_t ranks = 0;  // how many fit beside these mappings and a reserve for threads and allocations
};

// REQUIRES: mappings_per_rank is not 0.
Capacity capacity(std::uint64_t mappings_per_rank);

// Throws LoadError if `ranks` do not fit: says how many do and which sysctl to raise to what.
void check_capacity(std::uint64_t ranks, std::uint64_t mappings_per_rank);

}  // namespace weft::image

// The table of --display map.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/placement/rank_mapping.hpp"

namespace weft::placement {

// "0-3,8". REQUIRES: ascending numbers.
std::string ranges_text(std::span<const std::uint32_t> numbers);

// A line for each worker: host, process, worker, what it is bound to, and the ranks that start there. `hosts`: of each
// process. `cores`: of each worker, or empty where that is not known.
std::string map_text(const JobShape& shape, std::span<const std::uint32_t> worker_of_rank,
                     const std::vector<std::string>& hosts, const std::vector<std::string>& cores);

}  // namespace weft::placement

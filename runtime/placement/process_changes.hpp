// Which processes a running job is to go on with, and where its ranks are to live then. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/bootstrap/next_process.hpp"
#include "runtime/placement/rank_mapping.hpp"

namespace weft::placement {

// Those that stay come first, in their order.
using NextProcesses = std::vector<bootstrap::NextProcess>;

// With so many processes, at least one: hosts with the most lose some, hosts with the fewest get some, of as many
// workers as the job's first process has.
NextProcesses with_count(NextProcesses now, std::uint32_t count);
// With so many more on this host, which may be a new one. Likewise.
NextProcesses with_more(NextProcesses now, const std::string& host, std::uint32_t count);
// Without those of this host; perhaps none is left.
NextProcesses without_host(NextProcesses now, const std::string& host);
// Without these, by their numbers now.
NextProcesses without_processes(NextProcesses now, const std::vector<std::uint32_t>& leaving);

// The process of each rank, so that each has as many ranks as its workers are a part of all, and as few as possible
// change from the process that they are in. REQUIRES: there is such a process for each.
std::vector<std::uint32_t> evened_out(std::vector<std::uint32_t> processes, const JobShape& shape);

}  // namespace weft::placement

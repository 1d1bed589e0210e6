// The processes that a running job is to continue with, and where its ranks are to live then. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/bootstrap/next_process.hpp"
#include "runtime/placement/rank_mapping.hpp"

namespace weft::placement {

// Processes that stay come first, in their old order.
using NextProcesses = std::vector<bootstrap::NextProcess>;

// Changes the number of processes to `count`, at least one. Processes are removed from the hosts with the most, and
// added to those with the fewest. New ones get as many workers as the job's first process.
NextProcesses with_count(NextProcesses now, std::uint32_t count);
// Adds `count` processes on this host, which may be a new one. Workers as above.
NextProcesses with_more(NextProcesses now, const std::string& host, std::uint32_t count);
// Removes the processes of this host; the result may be empty.
NextProcesses without_host(NextProcesses now, const std::string& host);
// Removes the processes with these present numbers.
NextProcesses without_processes(NextProcesses now, const std::vector<std::uint32_t>& leaving);

// The process of each rank after balancing the counts: each process gets ranks in proportion to its workers, and as few
// ranks as possible change their process. REQUIRES: `shape` has each of these processes.
std::vector<std::uint32_t> evened_out(std::vector<std::uint32_t> processes, const JobShape& shape);

}  // namespace weft::placement

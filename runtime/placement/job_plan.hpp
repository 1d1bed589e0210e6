// Which processes a job has on which hosts, and how many workers each of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/placement/host_slots.hpp"

namespace weft::placement {

struct ProcessPlace {
  std::uint32_t host = 0;     // numbered in the order of their first process
  std::uint32_t workers = 0;  // 0: as many as its share of the host's cores
  bool operator==(const ProcessPlace&) const = default;
};

struct JobPlan {
  std::vector<std::string> hosts;       // by number
  std::vector<ProcessPlace> processes;  // those of one host need not follow each other
  bool in_slurm = false;                // the hosts are those of an allocation by Slurm: its srun reaches them
  std::vector<std::string> host_of_processes() const;
};

struct PlanRequest {
  std::optional<std::uint32_t> processes;  // else one on each host
  std::optional<std::uint32_t> slots;      // as many are enough: the first ones are taken, host after host
  std::optional<std::uint32_t> most_hosts;
};

// The slots of a host are its workers, shared evenly among its processes; hosts of which no slot is needed are left
// out. Processes are shared evenly among the hosts. Throws base::OptionError where a host has no process or a process
// no slot.
JobPlan plan_job(std::vector<HostSlots> hosts, const PlanRequest& request);

// One process for each of these names, with a share of its host's cores.
JobPlan plan_of_hosts(const std::vector<std::string>& host_of_processes);

// For the processes that weftrun starts, in few bytes; and back, which throws base::OptionError.
std::string to_text(const std::vector<ProcessPlace>& processes);
std::vector<ProcessPlace> parse_places(std::string_view text);

}  // namespace weft::placement

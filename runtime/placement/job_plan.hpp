// Which processes a job has on which hosts, and how many workers each process has.
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
  std::uint32_t workers = 0;  // 0: as many as this process's part of the host's cores
  bool operator==(const ProcessPlace&) const = default;
};

struct JobPlan {
  std::vector<std::string> hosts;       // by number
  std::vector<ProcessPlace> processes;  // those of one host need not follow each other
  bool in_slurm = false;                // the hosts are a Slurm allocation, so srun can reach them
  std::vector<std::string> host_of_processes() const;
};

struct PlanRequest {
  std::optional<std::uint32_t> processes;  // else one on each host
  std::optional<std::uint32_t> slots;      // how many are needed: the first ones are used, host after host
  std::optional<std::uint32_t> most_hosts;
};

// Distributes processes evenly over the hosts, and the slots of each host evenly over its processes as workers. Hosts
// whose slots are not needed are left out. Throws base::OptionError where a host has no process or a process no slot.
JobPlan plan_job(std::vector<HostSlots> hosts, const PlanRequest& request);

// One process for each of these host names, with its part of the host's cores.
JobPlan plan_of_hosts(const std::vector<std::string>& host_of_processes);

// A compact text for the processes that weftrun starts, and its parser, which throws base::OptionError.
std::string to_text(const std::vector<ProcessPlace>& processes);
std::vector<ProcessPlace> parse_places(std::string_view text);

}  // namespace weft::placement

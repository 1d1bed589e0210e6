// The hosts that a batch system has allocated to the job of this process, according to the environment.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/placement/host_slots.hpp"

namespace weft::placement {

struct Allocation {
  std::string_view system;  // "Slurm", "PBS", "LSF" or "SGE"
  std::vector<HostSlots> hosts;
};

struct AllocationSources {
  std::function<std::optional<std::string>(const std::string& variable)> variable;
  std::function<std::optional<std::string>(const std::string& path)> file;  // its text; nothing: it cannot be read
};

// Slurm: SLURM_JOB_NODELIST, with SLURM_TASKS_PER_NODE times SLURM_CPUS_PER_TASK slots for each host. PBS: one line of
// PBS_NODEFILE for each slot. LSF: LSB_MCPU_HOSTS, else one line of LSB_DJOB_HOSTFILE for each slot. SGE: PE_HOSTFILE.
// Returns nothing where none of these is set. Throws base::OptionError, which names the variable.
std::optional<Allocation> find_allocation(const AllocationSources& sources);

// Slurm's "a[01-03,7],b": a01 a02 a03 a7 b. Throws base::OptionError.
std::vector<std::string> expand_nodelist(std::string_view text);
// Slurm's "2(x3),1": 2 2 2 1. Throws base::OptionError.
std::vector<std::uint32_t> expand_counts(std::string_view text);

}  // namespace weft::placement

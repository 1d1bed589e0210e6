// Determines where a job's processes run and its ranks start, from weftrun's options or a batch system.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/placement/job_plan.hpp"
#include "runtime/placement/rank_mapping.hpp"
#include "runtime/setup/program.hpp"

namespace weft::tools {

// The policy of --map-by, --rank-by, --ppn, --npernode and --nooversubscribe. Throws OptionError if they contradict
// each other.
placement::MappingPolicy mapping_policy(const base::OptionValues& values);

// The processes to start, by --hosts, --host and --hostfile, else by the allocation of a batch system, else on this
// host. Throws OptionError.
placement::JobPlan job_plan(const base::OptionValues& values, std::span<const runtime::Application> others);

// Throws OptionError for options that say where processes start, in a process that another launcher has started.
void refuse_hosts(const base::OptionValues& values);

// Whether --display or --display-map asks for the map. Throws OptionError for an unknown word.
bool displays_map(const base::OptionValues& values);

// For --do-not-launch: the table of --display map for processes that are not started. Assumes that other hosts have as
// many cores as this one, and prints a line about that on standard error. Throws OptionError.
std::string map_of_plan(const placement::JobPlan& plan, const base::OptionValues& values,
                        std::span<const runtime::Application> others);

// The places of the processes with which a job continues, on hosts of these names.
std::vector<placement::ProcessPlace> places_of(const placement::JobPlan& plan, const bootstrap::ProcessSet& next,
                                               const std::vector<std::string>& hosts);

// The job's name for weft ps: the number of this process, weftrun. If the job begins on other hosts, "@" and this
// host's name follow. The name stays the same when the job changes its processes and hosts.
std::string job_name(const placement::JobPlan& plan);

}  // namespace weft::tools

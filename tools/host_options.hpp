// Where weftrun's options, or a batch system, let the processes of a job run, and its ranks start.
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

// What --map-by, --rank-by, --ppn, --npernode and --nooversubscribe say. Throws OptionError where they contradict.
placement::MappingPolicy mapping_policy(const base::OptionValues& values);

// The processes to start, by --hosts, --host and --hostfile, else by the allocation of a batch system, else on this
// host. Throws OptionError.
placement::JobPlan job_plan(const base::OptionValues& values, std::span<const runtime::Application> others);

// Throws OptionError for options that say where processes start, in a process that another launcher has started.
void refuse_hosts(const base::OptionValues& values);

// What --display wants. Throws OptionError for what is not known.
bool displays_map(const base::OptionValues& values);

// Of --do-not-launch: the table of --display map for processes that do not run. Takes other hosts to have as many cores
// as this one, which a line on standard error says. Throws OptionError.
std::string map_of_plan(const placement::JobPlan& plan, const base::OptionValues& values,
                        std::span<const runtime::Application> others);

// Of the processes with which a job goes on, on hosts of these names.
std::vector<placement::ProcessPlace> places_of(const placement::JobPlan& plan, const bootstrap::ProcessSet& next,
                                               const std::vector<std::string>& hosts);

// For weft ps: the number of this process, weftrun's; where the job begins on other hosts, too, with this one's name.
// It stays, whatever processes and hosts the job has later.
std::string job_name(const placement::JobPlan& plan);

}  // namespace weft::tools

// Chooses the agent, the command that starts processes on other hosts: bootstrap::agent_command().
#pragma once

#include <string>

#include "base/options.hpp"
#include "runtime/placement/job_plan.hpp"

namespace weft::tools {

// By --launcher and --launcher-agent, else srun in an allocation by Slurm, else ssh.
std::string launcher_agent(const placement::JobPlan& plan, const base::OptionValues& values);

// The same agent for a process outside of this process's allocation by Slurm. srun then names the allocation, and
// passes on output at once instead of in whole lines.
std::string agent_from_outside(std::string agent);

// The agent by which a process outside reaches the hosts of a job that another launcher has started. REQUIRES: the
// launcher's variables are still set.
std::string default_agent();

}  // namespace weft::tools

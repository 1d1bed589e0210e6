// What starts processes on other hosts: bootstrap::agent_command().
#pragma once

#include <string>

#include "base/options.hpp"
#include "runtime/placement/job_plan.hpp"

namespace weft::tools {

// By --launcher and --launcher-agent, else srun in an allocation by Slurm, else ssh.
std::string launcher_agent(const placement::JobPlan& plan, const base::OptionValues& values);

// The same for who is not in the allocation by Slurm that this process is in, and wants each byte at once.
std::string agent_from_outside(std::string agent);

// By which the hosts of a job that another launcher has started can be reached from outside. REQUIRES: the launcher's
// variables are still there.
std::string usual_agent();

}  // namespace weft::tools

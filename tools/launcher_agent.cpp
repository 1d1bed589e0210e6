#include "tools/launcher_agent.hpp"

#include <cstdlib>
#include <string_view>

namespace weft::tools {
namespace {

constexpr const char* kSlurmAgent =
    "srun --quiet --overlap --nodes=1 --ntasks=1 --mpi=none --cpu-bind=none --nodelist=%h sh -c";
constexpr const char* kSlurmJob = "SLURM_JOB_ID";

}  // namespace

std::string launcher_agent(const placement::JobPlan& plan, const base::OptionValues& values) {
  const base::OptionOrigin launcher = values.origin("launcher");
  const base::OptionOrigin command = values.origin("launcher-agent");
  if (launcher == base::OptionOrigin::kDefault && command == base::OptionOrigin::kDefault) {
    return plan.in_slurm ? kSlurmAgent : values.text("launcher-agent");
  }
  if (command >= launcher) {
    return values.text("launcher-agent");
  }
  return values.text("launcher") == "slurm" ? kSlurmAgent : values.text("launcher");
}

std::string agent_from_outside(std::string agent) {
  constexpr std::string_view kSrun = "srun ";
  const char* const job = std::getenv(kSlurmJob);
  if (job != nullptr && agent.starts_with(kSrun)) {
    agent.insert(kSrun.size(), std::string("--jobid=") + job + " --unbuffered ");  // else it sends whole lines only
  }
  return agent;
}

std::string default_agent() { return agent_from_outside(std::getenv(kSlurmJob) != nullptr ? kSlurmAgent : "ssh"); }

}  // namespace weft::tools

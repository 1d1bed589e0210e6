// Handles what processes of a job with --survive send to the launcher about images and about changes to other
// processes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/job_hosts.hpp"
#include "runtime/bootstrap/job_recovery.hpp"
#include "runtime/bootstrap/launched_process.hpp"

namespace weft::bootstrap {

class JobChanges {
 public:
  JobChanges(JobHosts& hosts, JobRecovery& recovery) : hosts_(hosts), recovery_(recovery) {}

  // Handles kImage, kMayWrite, kResumed, kPrepare, kMayChange and kHostsToEvacuate from `launched`, which is one of
  // `processes`. If `are_ending` nothing new is started. Throws std::runtime_error where the frame is damaged.
  void serve(const LaunchedProcess& launched, const Frame& frame, const std::vector<LaunchedProcess>& processes,
             bool are_ending);
  // The processes of a kChange frame. Throws std::runtime_error where it is damaged.
  ProcessSet next_processes(std::string_view text);

 private:
  std::optional<Frame> handle(const Frame& frame, const std::set<std::uint32_t>& used, bool are_ending);
  void prepare(const std::vector<std::string>& wanted, const std::set<std::uint32_t>& used);
  void release_hosts_except(const std::set<std::uint32_t>& hosts);
  Frame hosts_to_evacuate();

  JobHosts& hosts_;
  JobRecovery& recovery_;
};

}  // namespace weft::bootstrap

// What processes of a job with --survive tell and ask the launcher about images and about changes to other processes.
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
#include "runtime/bootstrap/member.hpp"

namespace weft::bootstrap {

class JobChanges {
 public:
  JobChanges(JobHosts& hosts, JobRecovery& recovery) : hosts_(hosts), recovery_(recovery) {}

  // kImage, kMayWrite, kResumed, kPrepare, kMayChange and kLeaving of this one of these processes. Once they are ending
  // nothing is begun. Throws std::runtime_error where the frame is damaged.
  void serve(const Member& member, const Frame& frame, const std::vector<Member>& members, bool are_ending);
  // Those of kChange. Throws likewise.
  ProcessSet next_processes(std::string_view text);

 private:
  std::optional<Frame> handle(const Frame& frame, const std::set<std::uint32_t>& used, bool are_ending);
  void prepare(const std::vector<std::string>& wanted, const std::set<std::uint32_t>& used);
  void leave_all_but(const std::set<std::uint32_t>& hosts);
  Frame leaving_hosts();

  JobHosts& hosts_;
  JobRecovery& recovery_;
};

}  // namespace weft::bootstrap

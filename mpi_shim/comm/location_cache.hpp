// Where the members of a communicator live, in a job of several processes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "mpi_shim/group/group.hpp"
#include "runtime/job/job.hpp"
#include "runtime/sync/team.hpp"

namespace weft::mpi_shim {

// What a member has seen; good while the job's placement is the same.
struct View {
  std::uint32_t placement = 0;
  bool looked = false;
  bool spread = false;                  // members live in more than one process
  std::shared_ptr<runtime::Team> team;  // of the local group, unless `spread` or the group has one rank
};

// Shared by the members in this process. All members of all processes see the same, because ranks change their process
// in balancing steps only.
class Whereabouts {
 public:
  // `remote` is null for an intracommunicator.
  Whereabouts(runtime::Job& job, std::shared_ptr<const Group> group, std::shared_ptr<const Group> remote);

  runtime::Job& job() const { return job_; }
  // The members as they live now. Any of them.
  View look();

 private:
  bool apart() const;

  runtime::Job& job_;
  const std::shared_ptr<const Group> group_;
  const std::shared_ptr<const Group> remote_;
  std::mutex mutex_;  // guards last_
  View last_;
};

// A team of the group's members, who all live in this process; null for a group of one rank.
std::unique_ptr<runtime::Team> make_team(runtime::Job& job, const Group& group);

}  // namespace weft::mpi_shim

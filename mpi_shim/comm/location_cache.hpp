// Where the members of a communicator live, in a job of several processes.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>

#include "mpi_shim/group/group.hpp"
#include "runtime/job/job.hpp"
#include "runtime/sync/team.hpp"

namespace weft::mpi_shim {
inline namespace comm {

// Where the members of a communicator live, as far as calls on it depend on that. The same for all members.
struct Locality {
  enum class Reach : std::uint8_t { one_rank, one_process, several_processes };

  Reach reach = Reach::one_rank;  // of an intercommunicator: both groups together
  runtime::Team* team = nullptr;  // of the local group; null unless it has several ranks, all in one process

  bool spans_processes() const { return reach == Reach::several_processes; }
};

// A locality that was looked up. Valid while Job::placement_version() is the same.
struct CachedLocality {
  std::uint32_t placement = 0;
  bool is_valid = false;
  Locality locality;
  std::shared_ptr<runtime::Team> team;  // owns locality.team
};

// Shared by the members in this process. Members in all processes get the same answer, since ranks change their process
// in balancing steps only.
class LocationCache {
 public:
  // `remote` is null for an intracommunicator.
  LocationCache(runtime::Job& job, std::shared_ptr<const Group> group, std::shared_ptr<const Group> remote);

  runtime::Job& job() const { return job_; }
  // Where the members live now. Any member may call.
  CachedLocality current();

 private:
  bool spans_processes() const;

  runtime::Job& job_;
  const std::shared_ptr<const Group> group_;
  const std::shared_ptr<const Group> remote_;
  std::mutex mutex_;  // guards last_
  CachedLocality last_;
};

// The locality of a communicator whose members all live in this process.
Locality locality_of(runtime::Team* team, bool two_groups);
// A team of the group's members, which must all live in this process. Null for a group of one rank.
std::unique_ptr<runtime::Team> make_team(runtime::Job& job, const Group& group);

}  // namespace comm
}  // namespace weft::mpi_shim

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

// Where the members of a communicator live, as far as calls on it care: the same for all members.
struct Locality {
  enum class Reach : std::uint8_t { one_rank, one_process, several_processes };

  Reach reach = Reach::one_rank;  // of an intercommunicator: both groups together
  bool two_groups = false;        // an intercommunicator
  runtime::Team* team = nullptr;  // where the local group meets in memory: null unless it has ranks of one process only

  bool spans_processes() const { return reach == Reach::several_processes; }
};

// A locality that was looked up; good while the job's placement is the same.
struct SeenLocality {
  std::uint32_t placement = 0;
  bool looked = false;
  Locality locality;
  std::shared_ptr<runtime::Team> team;  // keeps the locality's
};

// Shared by the members in this process. All members of all processes see the same, because ranks change their process
// in balancing steps only.
class LocationCache {
 public:
  // `remote` is null for an intracommunicator.
  LocationCache(runtime::Job& job, std::shared_ptr<const Group> group, std::shared_ptr<const Group> remote);

  runtime::Job& job() const { return job_; }
  // The members as they live now. Any of them.
  SeenLocality look();

 private:
  bool apart() const;

  runtime::Job& job_;
  const std::shared_ptr<const Group> group_;
  const std::shared_ptr<const Group> remote_;
  std::mutex mutex_;  // guards last_
  SeenLocality last_;
};

// Of a communicator whose members all live in this process.
Locality locality_of(runtime::Team* team, bool two_groups);
// A team of the group's members, who all live in this process; null for a group of one rank.
std::unique_ptr<runtime::Team> make_team(runtime::Job& job, const Group& group);

}  // namespace comm
}  // namespace weft::mpi_shim

// Communicators: a part that all members in this process share, and a small part that each rank has of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mpi.h"
#include "mpi_shim/attribute/attributes.hpp"
#include "mpi_shim/comm/context.hpp"
#include "mpi_shim/comm/location_cache.hpp"
#include "mpi_shim/group/group.hpp"
#include "runtime/job/job.hpp"
#include "runtime/sync/team.hpp"

namespace weft::mpi_shim {
inline namespace p2p {
struct SendBuffer;  // buffered_send.hpp
}  // namespace p2p

inline namespace topology {
struct Topology;       // topology.hpp
struct Neighbourhood;  // topology.hpp
}  // namespace topology

inline namespace comm {

// Added to the context number for messages of collective calls with a request.
inline constexpr std::uint32_t kScheduleContext = 1U << 30;

// With --survive api: the numbers of the notices by which the communicator's first member died, and by which it was
// revoked (runtime/failure/failures.hpp). Written before workers act on the notice; any thread may read.
struct CommFailures {
  static constexpr std::uint32_t kNever = UINT32_MAX;

  // Whether either has happened; only then calls on the communicator look at the other fields.
  std::atomic<bool> any = false;
  std::atomic<std::uint32_t> failed_since = kNever;
  std::atomic<std::uint32_t> revoked_since = kNever;
  std::atomic<bool> revoked = false;

  // Pairs with note() and revoke_here(): `revoked` is visible once `any` is.
  bool is_revoked() const { return any.load(std::memory_order_acquire) && revoked.load(std::memory_order_relaxed); }
  // A rank of this process has revoked the communicator. Takes effect here at once, in other processes with the notice.
  void revoke_here() {
    revoked.store(true, std::memory_order_relaxed);
    any.store(true, std::memory_order_release);  // pairs with is_revoked()
  }
  // Leaves the smallest number in `since`, even if two threads note at the same time.
  void note(std::atomic<std::uint32_t>& since, std::uint32_t notice) {
    std::uint32_t noted = since.load(std::memory_order_relaxed);
    while (notice < noted && !since.compare_exchange_weak(noted, notice, std::memory_order_relaxed)) {
    }
    // Pairs with failure_of_collective(), CheckedMessage::is_impaired() and receive_failure(): a thread that sees `any`
    // sees the reason too.
    any.store(true, std::memory_order_release);
  }
};

// One for each communicator and process. Constant after construction, except for the failures.
struct CommShared {
  std::uint32_t context = 0;  // messages use 2 * context, collectives' own messages 2 * context + 1
  std::shared_ptr<const Group> group;
  std::shared_ptr<const Group> remote;  // intercommunicator only: the group that ranks of `group` send to
  std::unique_ptr<runtime::Team> team;  // of `group`; null if it has one rank, or if there is a location cache
  Locality locality;                    // constant; not used if there is a location cache
  std::unique_ptr<LocationCache> location_cache;  // null if the job has one process or the communicator one rank
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<Context> lease;  // reserves the context number
  int side = 0;                    // intercommunicator only: 0 or 1, says which of the two groups `group` is
  mutable CommFailures failures;
};

// One rank's view of a communicator. Owned by its rank. Its address is stable while a handle names it. Objects that
// may outlive it keep `shared`.
struct Communicator {
  std::shared_ptr<const CommShared> shared;
  int rank = 0;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::uint32_t children = 0;      // number of calls on it so far that make a communicator without a barrier
  std::uint32_t schedules = 0;     // number of collective calls on it so far that have a request
  std::uint32_t agreements = 0;    // number of calls so far of MPIX_Comm_agree and its like
  std::uint32_t acknowledged = 0;  // the program has acknowledged this many of failed_members()
  bool is_internal = false;        // belongs to a window or a file; the program has no handle of it
  std::string name;
  Attributes attributes;
  std::vector<std::pair<std::string, std::string>> hints;  // MPI_Comm_set_info
  std::shared_ptr<const Neighbourhood> neighbourhood;      // distributed graph: this rank's edges
  MPI_Session session = MPI_SESSION_NULL;                  // the session that its group comes from; null: the world
  std::shared_ptr<SendBuffer> send_buffer;                 // MPI_Comm_attach_buffer

  int size() const { return shared->group->size(); }
  bool is_inter() const { return shared->remote != nullptr; }
  // The group that ranks in point-to-point calls refer to.
  const Group& peers() const { return is_inter() ? *shared->remote : *shared->group; }
  // Where the members live now. The reference is valid until the next balancing step that moves ranks between
  // processes. No collective call of the communicator is under way in such a step.
  const Locality& locality() const { return shared->location_cache == nullptr ? shared->locality : look_up_locality(); }
  // Of locality(): whether members live in several processes; and the team in which they synchronize in memory, or
  // null.
  bool spans_processes() const { return shared->location_cache != nullptr && look_up_locality().spans_processes(); }
  runtime::Team* team() const { return locality().team; }
  std::uint32_t message_context() const { return 2 * shared->context; }
  std::uint32_t collective_context() const { return 2 * shared->context + 1; }
  // The context of collective calls with a request.
  std::uint32_t schedule_context() const { return collective_context() | kScheduleContext; }

  // All but the shared part, the send buffer, and what only jobs with --survive api use, whose ranks do not move.
  void pup(pup::Puper& p);

 private:
  const Locality& look_up_locality() const;

  mutable CachedLocality cached_locality_;  // what locality() returned last
};

// What defines a communicator: the same in all processes.
struct CommBlueprint {
  std::uint32_t context = 0;
  std::shared_ptr<const Group> group;
  std::shared_ptr<const Group> remote = nullptr;
  std::shared_ptr<const Topology> topology = nullptr;
  int side = 0;

  void pup(pup::Puper& p);
};

// Add CommShared::team to the rank's teams, which count the rank anew when it changes its worker; and remove it from
// them. Without effect if it is null.
void join_team(runtime::Rank& rank, const Communicator& comm);
void leave_team(runtime::Rank& rank, const Communicator& comm);

// For messages: "MPI_COMM_WORLD", the name the user gave, or "a communicator of 4 ranks".
std::string describe(const Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim

// Communicators: a part shared by all members of this process and a small part that is each rank's own.
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
struct Topology;
struct Neighbourhood;
}  // namespace topology

inline namespace comm {

// Cartesian, graph or distributed-graph neighbourhood; defined in topology.hpp.

// Added to the number for messages of collective calls that have a request.
inline constexpr std::uint32_t kScheduleContext = 1U << 30;

// With --survive api: the number of the notice by which a communicator's first member died, and of that by which it was
// revoked (runtime/failure/failures.hpp). Written before workers act on the notice; any thread reads.
struct CommFailures {
  static constexpr std::uint32_t kNever = UINT32_MAX;

  // Whether there is either: then calls on the communicator look closer.
  std::atomic<bool> any = false;
  std::atomic<std::uint32_t> failed_since = kNever;
  std::atomic<std::uint32_t> revoked_since = kNever;
  std::atomic<bool> revoked = false;

  // Pairs with note() and revoke_here().
  bool is_revoked() const { return any.load(std::memory_order_acquire) && revoked.load(std::memory_order_relaxed); }
  // A rank of this process has called for it: in this process it counts from now on, elsewhere from the notice on.
  void revoke_here() {
    revoked.store(true, std::memory_order_relaxed);
    any.store(true, std::memory_order_release);  // pairs with is_revoked()
  }
  void note(std::atomic<std::uint32_t>& since, std::uint32_t notice) {
    if (notice < since.load(std::memory_order_relaxed)) {
      since.store(notice, std::memory_order_relaxed);
    }
    // Pairs with failure_of_collective(), CheckedMessage::is_impaired() and receive_failure(): who sees it sees why.
    any.store(true, std::memory_order_release);
  }
};

// One per communicator and process, whatever its size. Constant after construction, but for the failures.
struct CommShared {
  std::uint32_t context = 0;  // messages use 2 * context, collectives' own messages 2 * context + 1
  std::shared_ptr<const Group> group;
  std::shared_ptr<const Group> remote;  // intercommunicator only: whom ranks of `group` send to
  std::unique_ptr<runtime::Team> team;  // of `group`; null if it has one rank, and where there is a location cache
  Locality locality;                    // for good, unless there is a location cache
  std::unique_ptr<LocationCache> location_cache;  // unless the job has one process, or the communicator one rank
  std::shared_ptr<const Topology> topology;
  std::shared_ptr<Context> lease;  // holds the context number
  int side = 0;                    // intercommunicator only: 0 or 1, which of the two groups `group` is
  mutable CommFailures failures;
};

// One rank's view. Its address is stable while a handle names it; what must live longer keeps `shared`.
struct Communicator {
  std::shared_ptr<const CommShared> shared;
  int rank = 0;
  MPI_Comm handle = MPI_COMM_NULL;
  MPI_Errhandler errhandler = MPI_ERRORS_ARE_FATAL;
  std::uint32_t children = 0;      // calls on it so far that make a communicator without a barrier
  std::uint32_t schedules = 0;     // collective calls on it so far that have a request
  std::uint32_t agreements = 0;    // so far: MPIX_Comm_agree and its like
  std::uint32_t acknowledged = 0;  // so many of its members that have died, in their order, does the program know of
  bool is_internal = false;        // of a window or a file; the program has no handle of it
  std::string name;
  Attributes attributes;
  std::vector<std::pair<std::string, std::string>> hints;  // MPI_Comm_set_info
  std::shared_ptr<const Neighbourhood> neighbourhood;      // distributed graph: this rank's edges
  MPI_Session session = MPI_SESSION_NULL;                  // whose groups it comes from; null: the world
  std::shared_ptr<SendBuffer> send_buffer;                 // MPI_Comm_attach_buffer

  int size() const { return shared->group->size(); }
  bool is_inter() const { return shared->remote != nullptr; }
  const Group& peers() const { return is_inter() ? *shared->remote : *shared->group; }  // whom p2p ranks number
  // Where the members live now. The reference is good until the next balancing step that moves ranks between processes,
  // in which no collective call of the communicator is under way.
  const Locality& locality() const { return shared->location_cache == nullptr ? shared->locality : look_up_locality(); }
  // Of locality(): whether members cannot synchronize in memory, and the team in which they do, null where they do not.
  bool spans_processes() const { return shared->location_cache != nullptr && look_up_locality().spans_processes(); }
  runtime::Team* team() const { return locality().team; }
  std::uint32_t message_context() const { return 2 * shared->context; }
  std::uint32_t collective_context() const { return 2 * shared->context + 1; }
  // Of collective calls that have a request.
  std::uint32_t schedule_context() const { return collective_context() | kScheduleContext; }

  // All but the shared part and the buffer.
  void pup(pup::Puper& p);

 private:
  const Locality& look_up_locality() const;

  mutable SeenLocality seen_;  // what locality() returned last, for as long as nobody has moved
};

// What a communicator is, whichever process it is asked in.
struct CommBlueprint {
  std::uint32_t context = 0;
  std::shared_ptr<const Group> group;
  std::shared_ptr<const Group> remote = nullptr;
  std::shared_ptr<const Topology> topology = nullptr;
  int side = 0;

  void pup(pup::Puper& p);
};

// The view's place in the team of the members that live in this process.
void join_team(runtime::Rank& rank, const Communicator& comm);
void leave_team(runtime::Rank& rank, const Communicator& comm);

// For messages: "MPI_COMM_WORLD", the name the user gave, or "a communicator of 4 ranks".
std::string describe(const Communicator& comm);

}  // namespace comm
}  // namespace weft::mpi_shim

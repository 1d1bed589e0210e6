// Everything the MPI layer keeps for one rank; runtime::Rank::upper_state points to it, and it moves with the rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "mpi.h"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/error/pending_exception.hpp"
#include "mpi_shim/op/op.hpp"
#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/leak.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace state {

// The attribute MPI_UNIVERSE_SIZE points to it: one address in all processes.
extern int universe_size;

// Owned by its rank; touched only on that rank's fibre and in calls of its threads, which hold the worker lock. While
// the rank is suspended in a balancing step, it is packed and unpacked on other threads.
struct RankState {
  // The shared parts of MPI_COMM_WORLD and MPI_COMM_SELF. See new_rank_state().
  RankState(runtime::Rank& owner, std::shared_ptr<const CommShared> world_shared,
            std::shared_ptr<const CommShared> self_shared);
  ~RankState();
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  bool in_world() const { return initialized && !finalized; }
  // What the module of type Part keeps for the rank.
  template <typename Part>
  Part& part() {
    return static_cast<Part&>(*parts[static_cast<std::size_t>(Part::kRankPart)]);
  }
  template <typename Part>
  const Part& part() const {
    return static_cast<const Part&>(*parts[static_cast<std::size_t>(Part::kRankPart)]);
  }

  runtime::Rank* rank;
  // The rank's number in the job, as groups store it; world.rank is the number in MPI_COMM_WORLD.
  int job_rank = 0;
  bool active = false;  // between MPI_Init and MPI_Finalize, or in a session
  bool initialized = false;
  bool finalized = false;
  bool in_move_callback = false;       // a function runs that the program has registered for moves
  std::uint32_t callbacks = 0;         // nested callbacks of the program, called by frames of the MPI layer
  PendingException pending_exception;  // has left a callback of the running call; handle_error() rethrows it

  Communicator world, self;         // the predefined ones
  MPI_Comm parent = MPI_COMM_NULL;  // MPI_Comm_get_parent
  int application = 0;              // MPI_APPNUM
  HandleTable<Communicator, HandleKind::comm> comms;
  HandleTable<std::shared_ptr<const Group>, HandleKind::group> groups;
  HandleTable<std::shared_ptr<Datatype>, HandleKind::datatype> datatypes;
  HandleTable<Op, HandleKind::op> ops;
  std::map<MPI_Datatype, DatatypeAnnotations>
      predefined_annotations;  // datatypes to which the rank gave a name or attributes
  RequestTable requests;
  Creations creations;  // with --check
  RankParts parts;
};

// Lives while the layer calls a function of the program, or makes a call that is part of another one. The rank cannot
// be packed meanwhile, because the layer continues with this state.
class InCallback {
 public:
  explicit InCallback(RankState& me) : me_(me) { ++me_.callbacks; }
  ~InCallback() { --me_.callbacks; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;

 private:
  RankState& me_;
};

// Calls a function of the program that returns an MPI error code. If an exception leaves the function, returns
// MPI_ERR_OTHER: the call continues as after any error of the function, and rethrows the exception instead of raising
// the error.
template <typename Function>
int call_program(RankState& me, Function&& function) {
  const InCallback inside(me);
  int error = MPI_SUCCESS;
  return me.pending_exception.run([&] { error = function(); }) ? error : MPI_ERR_OTHER;
}

// The calling rank's state. A thread that the rank has started waits here until it holds the rank's worker lock. The
// reference is valid until the rank calls MPI_Migrate, which may create a new state. If threads may not call, or the
// thread's rank is unknown, the job ends with a line that says so and names the call.
RankState& rank_state(const char* call = "MPI");
// For the few calls without an Entry, which any thread may make at any time: the result of `query` for the state, or
// `unknown` for a thread that may not call.
int query_state(int (*query)(const RankState& me), int unknown);

// Null when the handle is not live (then the caller raises MPI_ERR_COMM, MPI_ERR_TYPE, …).
inline Communicator* find_comm(RankState& me, MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) [[likely]] {
    return &me.world;
  }
  return comm == MPI_COMM_SELF ? &me.self : me.comms.find(comm);
}
inline const Datatype* find_datatype(RankState& me, MPI_Datatype type) {
  if (is_predefined(type)) [[likely]] {
    return predefined_datatype(type);
  }
  const std::shared_ptr<Datatype>* const found = me.datatypes.find(type);
  return found == nullptr ? nullptr : found->get();
}
// Accepts MPI_GROUP_EMPTY too. The pointer is valid until the handle is freed.
const std::shared_ptr<const Group>* find_group(RankState& me, MPI_Group group);
// A new handle; MPI_GROUP_EMPTY for a group without members.
MPI_Group new_group(RankState& me, std::shared_ptr<const Group> group);
// The attributes that this rank has set: all ranks share predefined datatypes, but not their names and attributes.
Attributes& datatype_attributes(RankState& me, const Datatype& type);

}  // namespace state
}  // namespace weft::mpi_shim

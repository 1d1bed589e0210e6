// Everything the MPI layer keeps for one rank; hangs on runtime::Rank::upper_state and moves with it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "mpi.h"
#include "mpi_shim/comm/communicator.hpp"
#include "mpi_shim/datatype/datatype.hpp"
#include "mpi_shim/error/kept_exception.hpp"
#include "mpi_shim/op/op.hpp"
#include "mpi_shim/request/request.hpp"
#include "mpi_shim/state/handles.hpp"
#include "mpi_shim/state/leak.hpp"
#include "mpi_shim/state/rank_part.hpp"
#include "runtime/job/job.hpp"

namespace weft::mpi_shim {
inline namespace state {

// What the attribute MPI_UNIVERSE_SIZE points to: one address in all processes.
extern int universe_size;

// Owned by its rank; touched only on that rank's fibre.
struct RankState {
  // The shared parts of MPI_COMM_WORLD and MPI_COMM_SELF. See new_rank_state().
  RankState(runtime::Rank& owner, std::shared_ptr<const CommShared> world_shared,
            std::shared_ptr<const CommShared> self_shared);
  ~RankState();
  RankState(const RankState&) = delete;
  RankState& operator=(const RankState&) = delete;

  bool in_world() const { return initialized && !finalized; }
  // What this module keeps for the rank.
  template <typename Part>
  Part& part() {
    return static_cast<Part&>(*parts[static_cast<std::size_t>(Part::kRankPart)]);
  }
  template <typename Part>
  const Part& part() const {
    return static_cast<const Part&>(*parts[static_cast<std::size_t>(Part::kRankPart)]);
  }

  runtime::Rank* rank;
  // The rank's number in the job, which groups hold; that in MPI_COMM_WORLD is world.rank.
  int job_rank = 0;
  bool active = false;  // between MPI_Init and MPI_Finalize, or in a session
  bool initialized = false;
  bool finalized = false;
  bool in_move_callback = false;  // a function that the program has registered for its moves runs
  std::uint32_t callbacks = 0;    // functions of the program that MPI is calling: frames of ours lie below theirs
  KeptException kept;             // by the running call, which ends in handle_error()

  Communicator world, self;         // the predefined ones
  MPI_Comm parent = MPI_COMM_NULL;  // MPI_Comm_get_parent
  int application = 0;              // MPI_APPNUM
  HandleTable<Communicator, Kind::comm> comms;
  HandleTable<std::shared_ptr<const Group>, Kind::group> groups;
  HandleTable<std::shared_ptr<Datatype>, Kind::datatype> datatypes;
  HandleTable<Op, Kind::op> ops;
  std::map<MPI_Datatype, DatatypeMarks> predefined_marks;  // of predefined datatypes that the rank named or attributed
  RequestTable requests;
  Creations creations;  // with --check
  RankParts parts;
};

// While a function of the program runs that the layer calls, or a call that is part of another one: the rank cannot be
// packed then, because the layer goes on with this state.
class InCallback {
 public:
  explicit InCallback(RankState& me) : me_(me) { ++me_.callbacks; }
  ~InCallback() { --me_.callbacks; }
  InCallback(const InCallback&) = delete;
  InCallback& operator=(const InCallback&) = delete;

 private:
  RankState& me_;
};

// Calls a function of the program, which returns an MPI error code. MPI_ERR_OTHER if an exception leaves it: the call
// then goes on as after any error of the function, until it raises that and the exception is raised in its place.
template <typename Function>
int call_program(RankState& me, Function&& function) {
  const InCallback inside(me);
  int error = MPI_SUCCESS;
  return me.kept.run([&] { error = function(); }) ? error : MPI_ERR_OTHER;
}

// The calling rank's state; a thread that the rank has started waits here until it has the rank's worker. The reference
// stays good until the rank calls MPI_Migrate, which may make it anew. Where threads may not call, or nobody knows the
// thread's rank, the job ends with a line that says so and names the call.
RankState& rank_state(const char* call = "MPI");
// The same for the few calls without an Entry that any thread may make at any time: what `question` says of the state,
// or `unknown` for a thread that may not call.
int ask_state(int (*question)(const RankState& me), int unknown);

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
// MPI_GROUP_EMPTY too. The pointer is good until the handle is freed.
const std::shared_ptr<const Group>* find_group(RankState& me, MPI_Group group);
// A new handle; MPI_GROUP_EMPTY for a group without members.
MPI_Group new_group(RankState& me, std::shared_ptr<const Group> group);
// The rank's own: predefined datatypes are shared by all ranks, their names and attributes are not.
Attributes& datatype_attributes(RankState& me, const Datatype& type);

}  // namespace state
}  // namespace weft::mpi_shim

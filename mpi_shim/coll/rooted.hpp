// Calls in which one member holds a block of, or for, every member: MPI_Gather(v) and MPI_Scatter(v).
#pragma once

#include <atomic>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {

// A call as its caller passed it.
struct RootedCall {
  Collective kind;
  Part own;        // the member's one block
  Part all;        // the root's blocks
  Numbers counts;  // of the root's blocks, in the calls with counts; then all.count has no meaning
  Numbers displacements;
  int root;
  MPI_Comm comm;
};

// What the root shows the others, on its stack.
struct RootSide {
  Blocks blocks;
  std::atomic<int> too_long{-1};  // a member whose block does not fit into its place
};

// The checked call.
struct Rooted {
  Communicator* comm = nullptr;
  bool is_root = false;
  bool in_place = false;  // the root's own block is where it belongs; `own` is empty
  runtime::Buffer own;
  RootSide side;  // the root's
};

// Checks the call and fills in what it says. MPI_SUCCESS or the error raised.
int check_rooted(const Entry& entry, const RootedCall& call, Rooted& rooted);

// The checked call by messages, on any communicator.
class CollectiveSteps;
void run_rooted(CollectiveSteps& executor, const RootedCall& call, const Rooted& rooted);

// MPI_Igather(v), MPI_Iscatter(v) and their persistent forms.
class Begin;
int begin_rooted(const Begin& begin, const RootedCall& call);

// Checks the call and meets the other members. Then `side` is the root's, which may be used until the next meeting; it
// stays null where nothing is left to do, as on an intercommunicator or one that spans processes. MPI_SUCCESS, or the
// error raised.
int meet_root(const Entry& entry, const RootedCall& call, Rooted& rooted, RootSide*& side);

}  // namespace weft::mpi_shim

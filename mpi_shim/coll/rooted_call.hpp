// Calls in which one member holds a block of, or for, every member: MPI_Gather(v) and MPI_Scatter(v), as they are
// passed and once they are checked.
#pragma once

#include <atomic>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// A call as its caller passed it.
struct RootedCall {
  Collective kind;
  BufferArgument own;  // the member's one block
  BufferArgument all;  // the root's blocks
  Numbers counts;      // of the root's blocks, in the calls with counts; then all.count has no meaning
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

}  // namespace coll
}  // namespace weft::mpi_shim

// Calls in which the root has one block for each member: MPI_Gather(v) and MPI_Scatter(v). Arguments as passed, and the
// checked call.
#pragma once

#include <atomic>

#include "mpi_shim/coll/blocks.hpp"
#include "mpi_shim/coll/call_check.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// A call as its caller passed it.
struct RootedCall {
  Collective kind;
  BufferArgument own;    // the member's one block
  BufferArgument all;    // the root's blocks
  ArrayArgument counts;  // of the root's blocks, in the calls with counts; then all.count is not used
  ArrayArgument displacements;
  int root;
  MPI_Comm comm;
};

// What the root publishes to the others. Lives on the root's stack.
struct RootSide {
  Blocks blocks;
  std::atomic<int> truncated_member{-1};  // gather: one whose block does not fit into the root's buffer, or -1
};

// The checked call.
struct CheckedRooted {
  Communicator* comm = nullptr;
  bool is_root = false;
  bool in_place = false;  // the root's own block is in its place already; `own` is empty
  runtime::Buffer own;
  RootSide side;  // the root's
};

}  // namespace coll
}  // namespace weft::mpi_shim

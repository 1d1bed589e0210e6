// MPI_Scatter, MPI_Scatterv: in one process every member copies its block straight out of the root's buffer.
#include "mpi_shim/coll/rooted.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

int scatter(const Entry& entry, const RootedCall& call) {
  CheckedRooted rooted;
  RootSide* side = nullptr;
  int error = rooted_barrier(entry, call, rooted, side);
  if (error != MPI_SUCCESS || side == nullptr) {
    return error;
  }
  const Communicator& comm = *rooted.comm;
  std::size_t bytes = 0;
  if (!rooted.in_place) {
    const runtime::Buffer block = side->blocks[static_cast<std::size_t>(comm.rank)];
    bytes = block.bytes;
    runtime::transfer(block, rooted.own);
  }
  if (comm.team() != nullptr) {
    next_barrier(entry, comm);
  }
  return bytes <= rooted.own.bytes ? MPI_SUCCESS
                                   : raise_truncation(entry, call.comm, call.root, bytes, rooted.own.bytes);
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/scatter/scatter.inc"

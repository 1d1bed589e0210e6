// MPI_Gather, MPI_Gatherv: in one process every member copies its block straight into the root's buffer.
#include "mpi_shim/coll/rooted.hpp"
#include "mpi_shim/coll/schedule/call_with_request.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

int gather(const Entry& entry, const RootedCall& call) {
  CheckedRooted rooted;
  RootSide* side = nullptr;
  int error = rooted_barrier(entry, call, rooted, side);
  if (error != MPI_SUCCESS || side == nullptr) {
    return error;
  }
  const Communicator& comm = *rooted.comm;
  std::size_t room = rooted.own.bytes;
  if (!rooted.in_place) {
    const runtime::Buffer place = side->blocks[static_cast<std::size_t>(comm.rank)];
    room = place.bytes;
    runtime::transfer(rooted.own, place);
  }
  const bool too_long = room < rooted.own.bytes;
  if (too_long) {
    side->truncated_member.store(comm.rank, std::memory_order_relaxed);
  }
  if (comm.team() != nullptr) {
    next_barrier(entry, comm);
  }
  if (too_long) {
    return raise_truncation(entry, call.comm, comm.rank, rooted.own.bytes, room);
  }
  const int from = rooted.is_root ? side->truncated_member.load(std::memory_order_relaxed) : -1;
  return from < 0 ? MPI_SUCCESS
                  : entry.raise(call.comm, MPI_ERR_TRUNCATE, "rank {} sends more than the {} bytes of its place", from,
                                side->blocks[static_cast<std::size_t>(from)].bytes);
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/gather/gather.inc"

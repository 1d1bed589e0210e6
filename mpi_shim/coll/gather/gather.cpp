// MPI_Gather, MPI_Gatherv: every member copies its block straight into the root's buffer.
#include "mpi_shim/coll/rooted.hpp"

namespace weft::mpi_shim {
namespace {

int gather(const Entry& entry, const RootedCall& call) {
  Rooted rooted;
  RootSide* side = nullptr;
  int error = meet_root(entry, call, rooted, side);
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
    side->too_long.store(comm.rank, std::memory_order_relaxed);
  }
  if (comm.team() != nullptr) {
    meet_again(entry, comm);
  }
  if (too_long) {
    return raise_too_long(entry, call.comm, comm.rank, rooted.own.bytes, room);
  }
  const int from = rooted.is_root ? side->too_long.load(std::memory_order_relaxed) : -1;
  return from < 0 ? MPI_SUCCESS
                  : entry.raise(call.comm, MPI_ERR_TRUNCATE, "rank {} sends more than the {} bytes of its place", from,
                                side->blocks[static_cast<std::size_t>(from)].bytes);
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Gather(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Gather");
  return gather(entry, {Collective::gather,
                        {"sendbuf", sendbuf, sendcount, sendtype},
                        {"recvbuf", recvbuf, recvcount, recvtype},
                        {},
                        {},
                        root,
                        comm});
}

int PMPI_Gather_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                  MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Gather_c");
  return gather(entry, {Collective::gather,
                        {"sendbuf", sendbuf, sendcount, sendtype},
                        {"recvbuf", recvbuf, recvcount, recvtype},
                        {},
                        {},
                        root,
                        comm});
}

int PMPI_Gatherv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, const int recvcounts[],
                 const int displs[], MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Gatherv");
  return gather(entry, {Collective::gatherv,
                        {"sendbuf", sendbuf, sendcount, sendtype},
                        {"recvbuf", recvbuf, 0, recvtype},
                        Numbers(recvcounts),
                        Numbers(displs),
                        root,
                        comm});
}

int PMPI_Gatherv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                   const MPI_Count recvcounts[], const MPI_Aint displs[], MPI_Datatype recvtype, int root,
                   MPI_Comm comm) {
  const Entry entry("MPI_Gatherv_c");
  return gather(entry, {Collective::gatherv,
                        {"sendbuf", sendbuf, sendcount, sendtype},
                        {"recvbuf", recvbuf, 0, recvtype},
                        Numbers(recvcounts),
                        Numbers(displs),
                        root,
                        comm});
}

}  // extern "C"

// MPI_Scatter, MPI_Scatterv: every member copies its block straight out of the root's buffer.
#include "mpi_shim/coll/rooted.hpp"

namespace weft::mpi_shim {
namespace {

int scatter(const Entry& entry, const RootedCall& call) {
  Rooted rooted;
  RootSide* side = nullptr;
  int error = meet_root(entry, call, rooted, side);
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
    meet_again(entry, comm);
  }
  return bytes <= rooted.own.bytes ? MPI_SUCCESS : raise_too_long(entry, call.comm, call.root, bytes, rooted.own.bytes);
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Scatter(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf, int recvcount,
                 MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Scatter");
  return scatter(entry, {Collective::scatter,
                         {"recvbuf", recvbuf, recvcount, recvtype},
                         {"sendbuf", sendbuf, sendcount, sendtype},
                         {},
                         {},
                         root,
                         comm});
}

int PMPI_Scatter_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf, MPI_Count recvcount,
                   MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Scatter_c");
  return scatter(entry, {Collective::scatter,
                         {"recvbuf", recvbuf, recvcount, recvtype},
                         {"sendbuf", sendbuf, sendcount, sendtype},
                         {},
                         {},
                         root,
                         comm});
}

int PMPI_Scatterv(const void* sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void* recvbuf,
                  int recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Scatterv");
  return scatter(entry, {Collective::scatterv,
                         {"recvbuf", recvbuf, recvcount, recvtype},
                         {"sendbuf", sendbuf, 0, sendtype},
                         Numbers(sendcounts),
                         Numbers(displs),
                         root,
                         comm});
}

int PMPI_Scatterv_c(const void* sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype,
                    void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm) {
  const Entry entry("MPI_Scatterv_c");
  return scatter(entry, {Collective::scatterv,
                         {"recvbuf", recvbuf, recvcount, recvtype},
                         {"sendbuf", sendbuf, 0, sendtype},
                         Numbers(sendcounts),
                         Numbers(displs),
                         root,
                         comm});
}

}  // extern "C"

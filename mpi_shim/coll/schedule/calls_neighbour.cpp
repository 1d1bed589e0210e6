// MPI_Ineighbor_allgather(v), MPI_Ineighbor_alltoall(v, w), and the same as persistent calls.
#include "mpi_shim/coll/neighbour/neighbour.hpp"
#include "mpi_shim/coll/schedule/begin.hpp"

namespace weft::mpi_shim {
namespace {

int exchange(const Begin& begin, const NeighbourCall& call) {
  NeighbourExchange checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_neighbour_exchange(begin.entry, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_neighbour_exchange(steps, checked); });
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

#define WEFT_NEIGHBOUR(suffix, count_type, displ_type)                                                                 \
  int PMPI_Ineighbor_allgather##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,               \
                                       void* recvbuf, count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm,      \
                                       MPI_Request* request) {                                                         \
    return exchange(Begin("MPI_Ineighbor_allgather" #suffix, request),                                                 \
                    neighbour_allgather({"sendbuf", sendbuf, sendcount, sendtype},                                     \
                                        {"recvbuf", recvbuf, recvcount, recvtype}, comm));                             \
  }                                                                                                                    \
  int PMPI_Neighbor_allgather_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,           \
                                           void* recvbuf, count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm,  \
                                           MPI_Info info, MPI_Request* request) {                                      \
    return exchange(Begin("MPI_Neighbor_allgather_init" #suffix, info, request),                                       \
                    neighbour_allgather({"sendbuf", sendbuf, sendcount, sendtype},                                     \
                                        {"recvbuf", recvbuf, recvcount, recvtype}, comm));                             \
  }                                                                                                                    \
  int PMPI_Ineighbor_allgatherv##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,              \
                                        void* recvbuf, const count_type recvcounts[], const displ_type displs[],       \
                                        MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {                  \
    return exchange(Begin("MPI_Ineighbor_allgatherv" #suffix, request),                                                \
                    neighbour_allgatherv({"sendbuf", sendbuf, sendcount, sendtype}, {"recvbuf", recvbuf, 0, recvtype}, \
                                         Numbers(recvcounts), Numbers(displs), comm));                                 \
  }                                                                                                                    \
  int PMPI_Neighbor_allgatherv_init##suffix(                                                                           \
      const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],  \
      const displ_type displs[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info, MPI_Request* request) {          \
    return exchange(Begin("MPI_Neighbor_allgatherv_init" #suffix, info, request),                                      \
                    neighbour_allgatherv({"sendbuf", sendbuf, sendcount, sendtype}, {"recvbuf", recvbuf, 0, recvtype}, \
                                         Numbers(recvcounts), Numbers(displs), comm));                                 \
  }                                                                                                                    \
  int PMPI_Ineighbor_alltoall##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf, \
                                      count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm,                      \
                                      MPI_Request* request) {                                                          \
    return exchange(Begin("MPI_Ineighbor_alltoall" #suffix, request),                                                  \
                    neighbour_alltoall({"sendbuf", sendbuf, sendcount, sendtype},                                      \
                                       {"recvbuf", recvbuf, recvcount, recvtype}, comm));                              \
  }                                                                                                                    \
  int PMPI_Neighbor_alltoall_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype,            \
                                          void* recvbuf, count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm,   \
                                          MPI_Info info, MPI_Request* request) {                                       \
    return exchange(Begin("MPI_Neighbor_alltoall_init" #suffix, info, request),                                        \
                    neighbour_alltoall({"sendbuf", sendbuf, sendcount, sendtype},                                      \
                                       {"recvbuf", recvbuf, recvcount, recvtype}, comm));                              \
  }                                                                                                                    \
  int PMPI_Ineighbor_alltoallv##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[], \
                                       MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],            \
                                       const displ_type rdispls[], MPI_Datatype recvtype, MPI_Comm comm,               \
                                       MPI_Request* request) {                                                         \
    return exchange(                                                                                                   \
        Begin("MPI_Ineighbor_alltoallv" #suffix, request),                                                             \
        neighbour_alltoallv({{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},                \
                            {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)}, comm));        \
  }                                                                                                                    \
  int PMPI_Neighbor_alltoallv_init##suffix(                                                                            \
      const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[], MPI_Datatype sendtype,           \
      void* recvbuf, const count_type recvcounts[], const displ_type rdispls[], MPI_Datatype recvtype, MPI_Comm comm,  \
      MPI_Info info, MPI_Request* request) {                                                                           \
    return exchange(                                                                                                   \
        Begin("MPI_Neighbor_alltoallv_init" #suffix, info, request),                                                   \
        neighbour_alltoallv({{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},                \
                            {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)}, comm));        \
  }                                                                                                                    \
  int PMPI_Ineighbor_alltoallw##suffix(const void* sendbuf, const count_type sendcounts[], const MPI_Aint sdispls[],   \
                                       const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],   \
                                       const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,        \
                                       MPI_Request* request) {                                                         \
    return exchange(                                                                                                   \
        Begin("MPI_Ineighbor_alltoallw" #suffix, request),                                                             \
        neighbour_alltoallw(                                                                                           \
            {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},            \
            {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes}, comm));    \
  }                                                                                                                    \
  int PMPI_Neighbor_alltoallw_init##suffix(                                                                            \
      const void* sendbuf, const count_type sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],    \
      void* recvbuf, const count_type recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[],          \
      MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                                            \
    return exchange(                                                                                                   \
        Begin("MPI_Neighbor_alltoallw_init" #suffix, info, request),                                                   \
        neighbour_alltoallw(                                                                                           \
            {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},            \
            {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes}, comm));    \
  }

WEFT_NEIGHBOUR(, int, int)
WEFT_NEIGHBOUR(_c, MPI_Count, MPI_Aint)

#undef WEFT_NEIGHBOUR
}

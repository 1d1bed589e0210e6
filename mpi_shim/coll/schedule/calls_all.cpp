// MPI_Iallgather(v), MPI_Ialltoall(v, w), and the same as persistent calls.
#include "mpi_shim/coll/allgather/allgather.hpp"
#include "mpi_shim/coll/alltoall/alltoall.hpp"
#include "mpi_shim/coll/schedule/begin.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
namespace {

int allgather(const Begin& begin, const AllgatherCall& call) {
  Allgather checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_allgather(begin.entry, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_allgather(steps, checked); });
}

int alltoall(const Begin& begin, const AlltoallCall& call) {
  Alltoall checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_alltoall(begin.entry, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_alltoall(steps, checked); });
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

#define WEFT_ALL(suffix, count_type, displ_type)                                                                      \
  int PMPI_Iallgather##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,        \
                              count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {     \
    return allgather(Begin("MPI_Iallgather" #suffix, request), {Collective::allgather,                                \
                                                                {"sendbuf", sendbuf, sendcount, sendtype},            \
                                                                {"recvbuf", recvbuf, recvcount, recvtype},            \
                                                                {},                                                   \
                                                                {},                                                   \
                                                                comm});                                               \
  }                                                                                                                   \
  int PMPI_Allgather_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,    \
                                  count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,          \
                                  MPI_Request* request) {                                                             \
    return allgather(Begin("MPI_Allgather_init" #suffix, info, request), {Collective::allgather,                      \
                                                                          {"sendbuf", sendbuf, sendcount, sendtype},  \
                                                                          {"recvbuf", recvbuf, recvcount, recvtype},  \
                                                                          {},                                         \
                                                                          {},                                         \
                                                                          comm});                                     \
  }                                                                                                                   \
  int PMPI_Iallgatherv##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,       \
                               const count_type recvcounts[], const displ_type displs[], MPI_Datatype recvtype,       \
                               MPI_Comm comm, MPI_Request* request) {                                                 \
    return allgather(Begin("MPI_Iallgatherv" #suffix, request), {Collective::allgatherv,                              \
                                                                 {"sendbuf", sendbuf, sendcount, sendtype},           \
                                                                 {"recvbuf", recvbuf, 0, recvtype},                   \
                                                                 Numbers(recvcounts),                                 \
                                                                 Numbers(displs),                                     \
                                                                 comm});                                              \
  }                                                                                                                   \
  int PMPI_Allgatherv_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,   \
                                   const count_type recvcounts[], const displ_type displs[], MPI_Datatype recvtype,   \
                                   MPI_Comm comm, MPI_Info info, MPI_Request* request) {                              \
    return allgather(Begin("MPI_Allgatherv_init" #suffix, info, request), {Collective::allgatherv,                    \
                                                                           {"sendbuf", sendbuf, sendcount, sendtype}, \
                                                                           {"recvbuf", recvbuf, 0, recvtype},         \
                                                                           Numbers(recvcounts),                       \
                                                                           Numbers(displs),                           \
                                                                           comm});                                    \
  }                                                                                                                   \
  int PMPI_Ialltoall##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,         \
                             count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Request* request) {      \
    return alltoall(Begin("MPI_Ialltoall" #suffix, request), {Collective::alltoall,                                   \
                                                              {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},    \
                                                              {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},    \
                                                              comm});                                                 \
  }                                                                                                                   \
  int PMPI_Alltoall_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,     \
                                 count_type recvcount, MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,           \
                                 MPI_Request* request) {                                                              \
    return alltoall(Begin("MPI_Alltoall_init" #suffix, info, request),                                                \
                    {Collective::alltoall,                                                                            \
                     {{"sendbuf", sendbuf, sendcount, sendtype}, {}, {}},                                             \
                     {{"recvbuf", recvbuf, recvcount, recvtype}, {}, {}},                                             \
                     comm});                                                                                          \
  }                                                                                                                   \
  int PMPI_Ialltoallv##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[],         \
                              MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                    \
                              const displ_type rdispls[], MPI_Datatype recvtype, MPI_Comm comm,                       \
                              MPI_Request* request) {                                                                 \
    return alltoall(Begin("MPI_Ialltoallv" #suffix, request),                                                         \
                    {Collective::alltoallv,                                                                           \
                     {{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},                      \
                     {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)},                      \
                     comm});                                                                                          \
  }                                                                                                                   \
  int PMPI_Alltoallv_init##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[],     \
                                  MPI_Datatype sendtype, void* recvbuf, const count_type recvcounts[],                \
                                  const displ_type rdispls[], MPI_Datatype recvtype, MPI_Comm comm, MPI_Info info,    \
                                  MPI_Request* request) {                                                             \
    return alltoall(Begin("MPI_Alltoallv_init" #suffix, info, request),                                               \
                    {Collective::alltoallv,                                                                           \
                     {{"sendbuf", sendbuf, 0, sendtype}, Numbers(sendcounts), Numbers(sdispls)},                      \
                     {{"recvbuf", recvbuf, 0, recvtype}, Numbers(recvcounts), Numbers(rdispls)},                      \
                     comm});                                                                                          \
  }                                                                                                                   \
  int PMPI_Ialltoallw##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[],         \
                              const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],           \
                              const displ_type rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,              \
                              MPI_Request* request) {                                                                 \
    return alltoall(Begin("MPI_Ialltoallw" #suffix, request),                                                         \
                    {Collective::alltoallw,                                                                           \
                     {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},  \
                     {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes},  \
                     comm});                                                                                          \
  }                                                                                                                   \
  int PMPI_Alltoallw_init##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type sdispls[],     \
                                  const MPI_Datatype sendtypes[], void* recvbuf, const count_type recvcounts[],       \
                                  const displ_type rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm,          \
                                  MPI_Info info, MPI_Request* request) {                                              \
    return alltoall(Begin("MPI_Alltoallw_init" #suffix, info, request),                                               \
                    {Collective::alltoallw,                                                                           \
                     {{"sendbuf", sendbuf, 0, MPI_DATATYPE_NULL}, Numbers(sendcounts), Numbers(sdispls), sendtypes},  \
                     {{"recvbuf", recvbuf, 0, MPI_DATATYPE_NULL}, Numbers(recvcounts), Numbers(rdispls), recvtypes},  \
                     comm});                                                                                          \
  }

WEFT_ALL(, int, int)
WEFT_ALL(_c, MPI_Count, MPI_Aint)

#undef WEFT_ALL
}

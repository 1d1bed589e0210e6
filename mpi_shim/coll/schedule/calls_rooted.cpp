// MPI_Ibarrier, MPI_Ibcast, MPI_Igather(v), MPI_Iscatter(v), and the same as persistent calls.
#include "mpi_shim/coll/bcast/bcast.hpp"
#include "mpi_shim/coll/message_algorithms.hpp"
#include "mpi_shim/coll/rooted.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
namespace {

int barrier(const Begin& begin, MPI_Comm comm) {
  int error = begin.check(comm);
  Communicator* const found = error == MPI_SUCCESS ? checked_comm(begin.entry, comm, error) : nullptr;
  if (found == nullptr) {
    return error;
  }
  trace_collective(begin.entry, *found, -1, 0, 0);
  if (goes_by_appointment(begin, *found, Collective::barrier, 0)) {
    return meet_by_appointment(begin, *found);
  }
  return begin(*found, found->is_inter() ? spread::inter_barrier : spread::barrier);
}

int bcast(const Begin& begin, const Part& part, int root, MPI_Comm comm) {
  Bcast checked;
  int error = begin.check(comm);
  if (error != MPI_SUCCESS || (error = check_bcast(begin.entry, part, root, comm, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_bcast(steps, checked); });
}

int rooted(const Begin& begin, const RootedCall& call) {
  Rooted checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_rooted(begin.entry, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, call, checked);
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_rooted(steps, call, checked); });
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) { return barrier(Begin("MPI_Ibarrier", request), comm); }

int PMPI_Barrier_init(MPI_Comm comm, MPI_Info info, MPI_Request* request) {
  return barrier(Begin("MPI_Barrier_init", info, request), comm);
}

#define WEFT_ROOTED(suffix, count_type, displ_type)                                                                    \
  int PMPI_Ibcast##suffix(void* buffer, count_type count, MPI_Datatype datatype, int root, MPI_Comm comm,              \
                          MPI_Request* request) {                                                                      \
    return bcast(Begin("MPI_Ibcast" #suffix, request), {"buffer", buffer, count, datatype}, root, comm);               \
  }                                                                                                                    \
  int PMPI_Bcast_init##suffix(void* buffer, count_type count, MPI_Datatype datatype, int root, MPI_Comm comm,          \
                              MPI_Info info, MPI_Request* request) {                                                   \
    return bcast(Begin("MPI_Bcast_init" #suffix, info, request), {"buffer", buffer, count, datatype}, root, comm);     \
  }                                                                                                                    \
  int PMPI_Igather##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,            \
                           count_type recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,                       \
                           MPI_Request* request) {                                                                     \
    return rooted(Begin("MPI_Igather" #suffix, request), {Collective::gather,                                          \
                                                          {"sendbuf", sendbuf, sendcount, sendtype},                   \
                                                          {"recvbuf", recvbuf, recvcount, recvtype},                   \
                                                          {},                                                          \
                                                          {},                                                          \
                                                          root,                                                        \
                                                          comm});                                                      \
  }                                                                                                                    \
  int PMPI_Gather_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,        \
                               count_type recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,    \
                               MPI_Request* request) {                                                                 \
    return rooted(Begin("MPI_Gather_init" #suffix, info, request), {Collective::gather,                                \
                                                                    {"sendbuf", sendbuf, sendcount, sendtype},         \
                                                                    {"recvbuf", recvbuf, recvcount, recvtype},         \
                                                                    {},                                                \
                                                                    {},                                                \
                                                                    root,                                              \
                                                                    comm});                                            \
  }                                                                                                                    \
  int PMPI_Igatherv##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,           \
                            const count_type recvcounts[], const displ_type displs[], MPI_Datatype recvtype, int root, \
                            MPI_Comm comm, MPI_Request* request) {                                                     \
    return rooted(Begin("MPI_Igatherv" #suffix, request), {Collective::gatherv,                                        \
                                                           {"sendbuf", sendbuf, sendcount, sendtype},                  \
                                                           {"recvbuf", recvbuf, 0, recvtype},                          \
                                                           Numbers(recvcounts),                                        \
                                                           Numbers(displs),                                            \
                                                           root,                                                       \
                                                           comm});                                                     \
  }                                                                                                                    \
  int PMPI_Gatherv_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,       \
                                const count_type recvcounts[], const displ_type displs[], MPI_Datatype recvtype,       \
                                int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {                        \
    return rooted(Begin("MPI_Gatherv_init" #suffix, info, request), {Collective::gatherv,                              \
                                                                     {"sendbuf", sendbuf, sendcount, sendtype},        \
                                                                     {"recvbuf", recvbuf, 0, recvtype},                \
                                                                     Numbers(recvcounts),                              \
                                                                     Numbers(displs),                                  \
                                                                     root,                                             \
                                                                     comm});                                           \
  }                                                                                                                    \
  int PMPI_Iscatter##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,           \
                            count_type recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm,                      \
                            MPI_Request* request) {                                                                    \
    return rooted(Begin("MPI_Iscatter" #suffix, request), {Collective::scatter,                                        \
                                                           {"recvbuf", recvbuf, recvcount, recvtype},                  \
                                                           {"sendbuf", sendbuf, sendcount, sendtype},                  \
                                                           {},                                                         \
                                                           {},                                                         \
                                                           root,                                                       \
                                                           comm});                                                     \
  }                                                                                                                    \
  int PMPI_Scatter_init##suffix(const void* sendbuf, count_type sendcount, MPI_Datatype sendtype, void* recvbuf,       \
                                count_type recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm, MPI_Info info,   \
                                MPI_Request* request) {                                                                \
    return rooted(Begin("MPI_Scatter_init" #suffix, info, request), {Collective::scatter,                              \
                                                                     {"recvbuf", recvbuf, recvcount, recvtype},        \
                                                                     {"sendbuf", sendbuf, sendcount, sendtype},        \
                                                                     {},                                               \
                                                                     {},                                               \
                                                                     root,                                             \
                                                                     comm});                                           \
  }                                                                                                                    \
  int PMPI_Iscatterv##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type displs[],            \
                             MPI_Datatype sendtype, void* recvbuf, count_type recvcount, MPI_Datatype recvtype,        \
                             int root, MPI_Comm comm, MPI_Request* request) {                                          \
    return rooted(Begin("MPI_Iscatterv" #suffix, request), {Collective::scatterv,                                      \
                                                            {"recvbuf", recvbuf, recvcount, recvtype},                 \
                                                            {"sendbuf", sendbuf, 0, sendtype},                         \
                                                            Numbers(sendcounts),                                       \
                                                            Numbers(displs),                                           \
                                                            root,                                                      \
                                                            comm});                                                    \
  }                                                                                                                    \
  int PMPI_Scatterv_init##suffix(const void* sendbuf, const count_type sendcounts[], const displ_type displs[],        \
                                 MPI_Datatype sendtype, void* recvbuf, count_type recvcount, MPI_Datatype recvtype,    \
                                 int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {                       \
    return rooted(Begin("MPI_Scatterv_init" #suffix, info, request), {Collective::scatterv,                            \
                                                                      {"recvbuf", recvbuf, recvcount, recvtype},       \
                                                                      {"sendbuf", sendbuf, 0, sendtype},               \
                                                                      Numbers(sendcounts),                             \
                                                                      Numbers(displs),                                 \
                                                                      root,                                            \
                                                                      comm});                                          \
  }

WEFT_ROOTED(, int, int)
WEFT_ROOTED(_c, MPI_Count, MPI_Aint)

#undef WEFT_ROOTED
}

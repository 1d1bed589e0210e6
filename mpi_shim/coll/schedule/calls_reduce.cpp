// MPI_Ireduce, MPI_Iallreduce, MPI_Iscan, MPI_Iexscan, MPI_Ireduce_scatter(_block), and the same as persistent calls.
#include "mpi_shim/coll/reduce/reduce.hpp"
#include "mpi_shim/coll/schedule/deferred.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
namespace {

int to_root(const Begin& begin, const ReduceCall& call, int root) {
  CheckedReduction checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_reduce_to_root(begin.entry, call, root, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return begin(*checked.comm, [&](CollectiveSteps& steps) { run_reduction(steps, checked); });
}

int to_each(const Begin& begin, Collective kind, Outcome outcome, const ReduceCall& call) {
  CheckedReduction checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS ||
      (error = check_reduce_to_each(begin.entry, kind, outcome, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return goes_by_appointment(begin, checked)
             ? reduce_by_appointment(begin, checked)
             : begin(*checked.comm, [&](CollectiveSteps& steps) { run_reduction(steps, checked); });
}

int scatter(const Begin& begin, const ReduceScatterCall& call) {
  CheckedReduction checked;
  int error = begin.check(call.comm);
  if (error != MPI_SUCCESS || (error = check_reduce_scatter(begin.entry, call, checked)) != MPI_SUCCESS) {
    return error;
  }
  trace_collective(begin.entry, checked);
  return goes_by_appointment(begin, checked)
             ? reduce_by_appointment(begin, checked)
             : begin(*checked.comm, [&](CollectiveSteps& steps) { run_reduction(steps, checked); });
}

}  // namespace
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

extern "C" {

#define WEFT_REDUCE(suffix, count_type)                                                                                \
  int PMPI_Ireduce##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op,     \
                           int root, MPI_Comm comm, MPI_Request* request) {                                            \
    return to_root(Begin("MPI_Ireduce" #suffix, request), {sendbuf, recvbuf, count, datatype, op, comm}, root);        \
  }                                                                                                                    \
  int PMPI_Reduce_init##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op, \
                               int root, MPI_Comm comm, MPI_Info info, MPI_Request* request) {                         \
    return to_root(Begin("MPI_Reduce_init" #suffix, info, request), {sendbuf, recvbuf, count, datatype, op, comm},     \
                   root);                                                                                              \
  }                                                                                                                    \
  int PMPI_Iallreduce##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op,  \
                              MPI_Comm comm, MPI_Request* request) {                                                   \
    return to_each(Begin("MPI_Iallreduce" #suffix, request), Collective::allreduce, Outcome::at_all,                   \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Allreduce_init##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype,         \
                                  MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request* request) {                     \
    return to_each(Begin("MPI_Allreduce_init" #suffix, info, request), Collective::allreduce, Outcome::at_all,         \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Iscan##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op,       \
                         MPI_Comm comm, MPI_Request* request) {                                                        \
    return to_each(Begin("MPI_Iscan" #suffix, request), Collective::scan, Outcome::scan,                               \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Scan_init##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op,   \
                             MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                     \
    return to_each(Begin("MPI_Scan_init" #suffix, info, request), Collective::scan, Outcome::scan,                     \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Iexscan##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op,     \
                           MPI_Comm comm, MPI_Request* request) {                                                      \
    return to_each(Begin("MPI_Iexscan" #suffix, request), Collective::exscan, Outcome::exscan,                         \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Exscan_init##suffix(const void* sendbuf, void* recvbuf, count_type count, MPI_Datatype datatype, MPI_Op op, \
                               MPI_Comm comm, MPI_Info info, MPI_Request* request) {                                   \
    return to_each(Begin("MPI_Exscan_init" #suffix, info, request), Collective::exscan, Outcome::exscan,               \
                   {sendbuf, recvbuf, count, datatype, op, comm});                                                     \
  }                                                                                                                    \
  int PMPI_Ireduce_scatter##suffix(const void* sendbuf, void* recvbuf, const count_type recvcounts[],                  \
                                   MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {            \
    return scatter(Begin("MPI_Ireduce_scatter" #suffix, request),                                                      \
                   {Collective::reduce_scatter, sendbuf, recvbuf, 0, Numbers(recvcounts), datatype, op, comm});        \
  }                                                                                                                    \
  int PMPI_Reduce_scatter_init##suffix(const void* sendbuf, void* recvbuf, const count_type recvcounts[],              \
                                       MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,                 \
                                       MPI_Request* request) {                                                         \
    return scatter(Begin("MPI_Reduce_scatter_init" #suffix, info, request),                                            \
                   {Collective::reduce_scatter, sendbuf, recvbuf, 0, Numbers(recvcounts), datatype, op, comm});        \
  }                                                                                                                    \
  int PMPI_Ireduce_scatter_block##suffix(const void* sendbuf, void* recvbuf, count_type recvcount,                     \
                                         MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request* request) {      \
    return scatter(Begin("MPI_Ireduce_scatter_block" #suffix, request),                                                \
                   {Collective::reduce_scatter_block, sendbuf, recvbuf, recvcount, {}, datatype, op, comm});           \
  }                                                                                                                    \
  int PMPI_Reduce_scatter_block_init##suffix(const void* sendbuf, void* recvbuf, count_type recvcount,                 \
                                             MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info,           \
                                             MPI_Request* request) {                                                   \
    return scatter(Begin("MPI_Reduce_scatter_block_init" #suffix, info, request),                                      \
                   {Collective::reduce_scatter_block, sendbuf, recvbuf, recvcount, {}, datatype, op, comm});           \
  }

WEFT_REDUCE(, int)
WEFT_REDUCE(_c, MPI_Count)

#undef WEFT_REDUCE
}

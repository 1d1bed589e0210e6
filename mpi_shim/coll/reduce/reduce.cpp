// MPI_Reduce.
#include "mpi_shim/coll/intercomm/intercomm.hpp"
#include "mpi_shim/coll/migrate_at.hpp"
#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"
#include "mpi_shim/coll/reduce/reduction_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

// On an intercommunicator.
int check_reduce_to_other_group(const Entry& entry, const ReduceCall& call, int root, CheckedReduction& checked) {
  Reduction& reduction = checked.reduction;
  if (root == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  reduction.has_output = root == MPI_ROOT;
  reduction.output = reduction.has_output ? call.recvbuf : nullptr;
  const void* const input = root == MPI_ROOT ? call.recvbuf : call.sendbuf;
  const int error =
      prepare_reduction(entry, *checked.comm, {"the buffer", input, call.count, call.datatype}, call.op, reduction);
  return error == MPI_SUCCESS && input == MPI_IN_PLACE ? raise_in_place(entry, *checked.comm) : error;
}

int check_reduce(const Entry& entry, const ReduceCall& call, int root, CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_comm(entry, call.comm, error);
  if (checked.comm != nullptr) {
    error = check_root(entry, *checked.comm, root);
  }
  if (checked.comm == nullptr || error != MPI_SUCCESS) {
    return error;
  }
  const Communicator& comm = *checked.comm;
  Reduction& reduction = checked.reduction;
  reduction.call = Collective::reduce;
  reduction.root = root;
  if (comm.is_inter()) [[unlikely]] {
    return check_reduce_to_other_group(entry, call, root, checked);
  }
  const bool is_root = comm.rank == root;
  checked.in_place = call.sendbuf == MPI_IN_PLACE;
  if (!is_root && checked.in_place) [[unlikely]] {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "sendbuf is MPI_IN_PLACE at rank {}, which is not the root {}",
                       comm.rank, root);
  }
  reduction.has_output = is_root;
  reduction.output = is_root ? call.recvbuf : nullptr;
  error = prepare_reduction(entry, comm, {"sendbuf", call.sendbuf, call.count, call.datatype}, call.op, reduction);
  return error == MPI_SUCCESS && is_root ? check_recvbuf(entry, call, reduction) : error;
}

int reduce(const Entry& entry, const ReduceCall& call, int root) {
  CheckedReduction checked;
  if (const int error = check_reduce(entry, call, root, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  if (!checked.comm->is_inter()) [[likely]] {
    return reduce_intracomm(entry, *checked.comm, checked.reduction);
  }
  return root == MPI_PROC_NULL ? inter_non_root(entry, *checked.comm)
                               : inter_reduce(entry, *checked.comm, checked.reduction);
}

int reduce(const CallWithRequest& request_call, const ReduceCall& call, int root) {
  return reduce_with_request(request_call, call.comm, [&](CheckedReduction& checked) {
    return check_reduce(request_call.entry, call, root, checked);
  });
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/reduce/reduce.inc"

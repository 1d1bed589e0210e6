// MPI_Scan, MPI_Exscan.
#include "mpi_shim/coll/reduce/reduction.hpp"
#include "mpi_shim/coll/reduce/reduction_checks.hpp"
#include "mpi_shim/coll/reduce/reduction_request.hpp"
#include "mpi_shim/coll/traced_collective.hpp"

namespace weft::mpi_shim {
inline namespace coll {
namespace {

// `kind` is scan or exscan.
int check_scan(const Entry& entry, Collective kind, const ReduceCall& call, CheckedReduction& checked) {
  int error = MPI_SUCCESS;
  checked.comm = checked_intra(entry, call.comm, error);
  if (checked.comm == nullptr) {
    return error;
  }
  const bool exclusive = kind == Collective::exscan;
  error = prepare_reduction_to_each(entry, kind, exclusive ? Outcome::exscan : Outcome::scan, call, checked);
  if (error != MPI_SUCCESS) {
    return error;
  }
  Reduction& reduction = checked.reduction;
  if (exclusive && checked.comm->rank == 0) {
    reduction.has_output = false;  // recvbuf is not used: it may be null, which is not MPI_BOTTOM here
    return checked.in_place || call.recvbuf == nullptr ? MPI_SUCCESS : check_not_aliased(entry, call, *reduction.type);
  }
  return check_recvbuf(entry, call, reduction);
}

int scan(const Entry& entry, Collective kind, const ReduceCall& call) {
  CheckedReduction checked;
  if (const int error = check_scan(entry, kind, call, checked); error != MPI_SUCCESS) {
    return error;
  }
  trace_collective(entry, checked);
  return reduce_intracomm(entry, *checked.comm, checked.reduction);
}

int scan(const CallWithRequest& request_call, Collective kind, const ReduceCall& call) {
  return reduce_with_request(request_call, call.comm, [&](CheckedReduction& checked) {
    return check_scan(request_call.entry, kind, call, checked);
  });
}

}  // namespace
}  // namespace coll
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;

#include "mpi_shim/generated/coll/scan/scan.inc"

#include "mpi_shim/entry/failure_errors.hpp"

#include "mpi-ext.h"

namespace weft::mpi_shim {
inline namespace entry {

int error_class_of(runtime::Failure failure) {
  switch (failure) {
    case runtime::Failure::none:
      return MPI_SUCCESS;
    case runtime::Failure::process_failed:
      return MPIX_ERR_PROC_FAILED;
    case runtime::Failure::revoked:
      return MPIX_ERR_REVOKED;
    case runtime::Failure::any_source:
      return MPIX_ERR_PROC_FAILED_PENDING;
  }
  return MPI_ERR_INTERN;
}

int raise_failure(const Entry& entry, MPI_Comm comm, runtime::Failure failure) {
  if (failure == runtime::Failure::revoked) {
    return entry.raise(comm, MPIX_ERR_REVOKED, "the communicator has been revoked");
  }
  return entry.raise(comm, MPIX_ERR_PROC_FAILED, "a process that takes part in it has died");
}

int refuse_if_fault_tolerant(const Entry& entry, const Communicator& comm, const char* what) {
  return entry.me.rank->job.failures() == nullptr || (comm.size() == 1 && !comm.is_inter())
             ? MPI_SUCCESS
             : entry.raise(comm.handle, MPI_ERR_UNSUPPORTED_OPERATION,
                           "with --survive api there are no {} of more than one member: they cannot do without one",
                           what);
}

}  // namespace entry
}  // namespace weft::mpi_shim

#include "iterations/survival.hpp"

#include "iterations/channels.hpp"

namespace weft::iterations {

#ifdef MPIX_FT

bool is_fault_tolerant(MPI_Comm comm) {
  int* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, MPIX_FT, static_cast<void*>(&value), &found));
  return found != 0 && *value != 0;
}

bool is_failure(int code) {
  int its_class = code;
  MPI_Error_class(code, &its_class);
  return its_class == MPIX_ERR_PROC_FAILED || its_class == MPIX_ERR_PROC_FAILED_PENDING ||
         its_class == MPIX_ERR_REVOKED;
}

void revoke(MPI_Comm comm) { check_mpi(MPIX_Comm_revoke(comm)); }

bool agree_on_success(MPI_Comm comm, bool success) {
  int flag = success ? 1 : 0;
  return MPIX_Comm_agree(comm, &flag) == MPI_SUCCESS && flag != 0;
}

MPI_Comm shrink_to_survivors(MPI_Comm comm) {
  MPI_Comm alive = MPI_COMM_NULL;
  check_mpi(MPIX_Comm_shrink(comm, &alive));
  check_mpi(MPI_Comm_set_errhandler(alive, MPI_ERRORS_RETURN));
  return alive;
}

#else

bool is_fault_tolerant(MPI_Comm /*comm*/) { return false; }
bool is_failure(int /*code*/) { return false; }
void revoke(MPI_Comm /*comm*/) {}
bool agree_on_success(MPI_Comm /*comm*/, bool success) { return success; }
MPI_Comm shrink_to_survivors(MPI_Comm comm) { return comm; }

#endif

}  // namespace weft::iterations

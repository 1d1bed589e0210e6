// The events of MPI_T: there are no events and no sources, so every handle and index is invalid.
#include "mpi_shim/tool/tool.hpp"

using namespace weft::mpi_shim;

namespace {

// Returns `error`, or MPI_T_ERR_NOT_INITIALIZED.
int refuse(const char* call, int error) {
  const Entry entry(call, Entry::kAnytime);
  return find_tool(entry) == nullptr ? MPI_T_ERR_NOT_INITIALIZED : error;
}
int no_handle(const char* call) { return refuse(call, MPI_T_ERR_INVALID_HANDLE); }
int no_index(const char* call) { return refuse(call, MPI_T_ERR_INVALID_INDEX); }

int store_zero(const char* call, int* number) {
  const int error = refuse(call, number == nullptr ? MPI_T_ERR_INVALID : MPI_SUCCESS);
  if (error == MPI_SUCCESS) {
    *number = 0;
  }
  return error;
}

}  // namespace

#include "mpi_shim/generated/tool/events.inc"

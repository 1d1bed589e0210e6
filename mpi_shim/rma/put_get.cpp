// MPI_Put, MPI_Get, MPI_Rput, MPI_Rget.
#include "mpi_shim/rma/operation.hpp"

namespace weft::mpi_shim::rma {

namespace {

int put(const Entry& entry, const Triple& origin, Arguments arguments) {
  arguments.origin = &origin;
  Operation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (operation.bytes != 0 && operation.here != nullptr) {
    runtime::transfer(operation.origin, message_buffer(operation.address, operation.count, *operation.type));
  } else if (operation.bytes != 0) {
    put_remote(operation);
  }
  hand_out(operation, arguments.request);
  return MPI_SUCCESS;
}

int get(const Entry& entry, const Triple& result, Arguments arguments) {
  arguments.result = &result;
  Operation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (operation.bytes != 0 && operation.here != nullptr) {
    runtime::transfer(message_buffer(operation.address, operation.count, *operation.type), operation.result);
  } else if (operation.bytes != 0) {
    get_remote(operation);
  }
  hand_out(operation, arguments.request);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/put_get.inc"

// MPI_Put, MPI_Get, MPI_Rput, MPI_Rget.
#include "mpi_shim/rma/operation.hpp"

namespace weft::mpi_shim::rma {

namespace {

int put(const Entry& entry, const UserBuffer& origin, Arguments arguments) {
  arguments.origin = &origin;
  CheckedOperation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (operation.bytes != 0 && operation.target_exposure != nullptr) {
    runtime::transfer(operation.origin, message_buffer(operation.address, operation.count, *operation.type));
  } else if (operation.bytes != 0) {
    put_remote(operation);
  }
  return_request(operation, arguments.request);
  return MPI_SUCCESS;
}

int get(const Entry& entry, const UserBuffer& result, Arguments arguments) {
  arguments.result = &result;
  CheckedOperation operation(entry.me);
  if (const int error = check(entry, arguments, operation); error != MPI_SUCCESS) {
    return error;
  }
  if (operation.bytes != 0 && operation.target_exposure != nullptr) {
    runtime::transfer(message_buffer(operation.address, operation.count, *operation.type), operation.result);
  } else if (operation.bytes != 0) {
    get_remote(operation);
  }
  return_request(operation, arguments.request);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/put_get.inc"

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
    put_afar(operation);
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
    get_from_afar(operation);
  }
  hand_out(operation, arguments.request);
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

extern "C" {

#define WEFT_PUT(name, address_type, count_type, body)                                                              \
  int PMPI_##name(address_type origin_addr, count_type origin_count, MPI_Datatype origin_datatype, int target_rank, \
                  MPI_Aint target_disp, count_type target_count, MPI_Datatype target_datatype, MPI_Win win) {       \
    return body(Entry("MPI_" #name), {origin_addr, origin_count, origin_datatype},                                  \
                {.target = target_rank,                                                                             \
                 .displacement = target_disp,                                                                       \
                 .target_count = target_count,                                                                      \
                 .target_type = target_datatype,                                                                    \
                 .win = win});                                                                                      \
  }
#define WEFT_RPUT(name, address_type, count_type, body)                                                             \
  int PMPI_##name(address_type origin_addr, count_type origin_count, MPI_Datatype origin_datatype, int target_rank, \
                  MPI_Aint target_disp, count_type target_count, MPI_Datatype target_datatype, MPI_Win win,         \
                  MPI_Request* request) {                                                                           \
    return body(Entry("MPI_" #name), {origin_addr, origin_count, origin_datatype},                                  \
                {.target = target_rank,                                                                             \
                 .displacement = target_disp,                                                                       \
                 .target_count = target_count,                                                                      \
                 .target_type = target_datatype,                                                                    \
                 .win = win,                                                                                        \
                 .request = request,                                                                                \
                 .by_request = true});                                                                              \
  }

WEFT_PUT(Put, const void*, int, put)
WEFT_PUT(Put_c, const void*, MPI_Count, put)
WEFT_PUT(Get, void*, int, get)
WEFT_PUT(Get_c, void*, MPI_Count, get)
WEFT_RPUT(Rput, const void*, int, put)
WEFT_RPUT(Rput_c, const void*, MPI_Count, put)
WEFT_RPUT(Rget, void*, int, get)
WEFT_RPUT(Rget_c, void*, MPI_Count, get)

#undef WEFT_PUT
#undef WEFT_RPUT
}

#include "mpi_shim/entry/message_arguments.hpp"

namespace weft::mpi_shim {
inline namespace entry {

int refuse_buffer(const Entry& entry, const MessageArguments& call) {
  if (find_comm(entry.me, call.comm) == nullptr) {
    return entry.bad_comm(call.comm);
  }
  if (call.count < 0) {
    return entry.raise(call.comm, MPI_ERR_COUNT, "count {} is negative", call.count);
  }
  const Datatype* const type = find_datatype(entry.me, call.datatype);
  if (type == nullptr) {
    return call.datatype == MPI_DATATYPE_NULL
               ? entry.raise(call.comm, MPI_ERR_TYPE, "datatype is MPI_DATATYPE_NULL")
               : entry.raise(call.comm, MPI_ERR_TYPE, "datatype {:#x} is not a datatype of this rank",
                             handle_value(call.datatype));
  }
  if (!type->committed) {
    return entry.raise(call.comm, MPI_ERR_TYPE, "datatype is not committed: call MPI_Type_commit first");
  }
  if (call.address == nullptr && lies_at_null(nullptr, call.count, *type)) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "the buffer is a null pointer, with count {}", call.count);
  }
  if (call.address == MPI_IN_PLACE && call.count > 0) {
    return entry.raise(call.comm, MPI_ERR_BUFFER, "the buffer is MPI_IN_PLACE, which has no meaning here");
  }
  return MPI_SUCCESS;
}

}  // namespace entry
}  // namespace weft::mpi_shim

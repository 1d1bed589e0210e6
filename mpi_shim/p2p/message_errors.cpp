// Error messages about wrong arguments of sends and receives; off the fast path.
#include "mpi_shim/p2p/point_to_point.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

int refuse_send(const Entry& entry, const MessageArguments& call) {
  if (const int error = refuse_buffer(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  const int size = find_comm(entry.me, call.comm)->peers().size();
  if (call.peer != MPI_PROC_NULL && (call.peer < 0 || call.peer >= size)) {
    return entry.raise(call.comm, MPI_ERR_RANK, "dest {} is not a rank of the communicator, which has ranks 0 to {}",
                       call.peer, size - 1);
  }
  if (call.tag < 0) {
    return entry.raise(call.comm, MPI_ERR_TAG, "tag {} is not in 0 to {}", call.tag, kLargestTag);
  }
  return MPI_SUCCESS;
}

int refuse_receive(const Entry& entry, const MessageArguments& call) {
  if (const int error = refuse_buffer(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  const int size = find_comm(entry.me, call.comm)->peers().size();
  if (call.peer != MPI_PROC_NULL && call.peer != MPI_ANY_SOURCE && (call.peer < 0 || call.peer >= size)) {
    return entry.raise(call.comm, MPI_ERR_RANK, "source {} is not a rank of the communicator, which has ranks 0 to {}",
                       call.peer, size - 1);
  }
  if (call.tag < 0 && call.tag != MPI_ANY_TAG) {
    return entry.raise(call.comm, MPI_ERR_TAG, "tag {} is not in 0 to {} and not MPI_ANY_TAG", call.tag, kLargestTag);
  }
  return MPI_SUCCESS;
}

int report_truncation(const Entry& entry, MPI_Comm comm, const runtime::Request& request) {
  return entry.raise(comm, MPI_ERR_TRUNCATE, "the message from rank {}, tag {}, has {} bytes; the buffer takes {}",
                     request.key.source, request.key.tag, request.sent, request.buffer.bytes);
}

}  // namespace p2p
}  // namespace weft::mpi_shim

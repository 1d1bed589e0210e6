#include "mpi_shim/coll/schedule/call_with_request.hpp"

#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/info/info.hpp"
#include "mpi_shim/request/progress.hpp"

namespace weft::mpi_shim {
inline namespace coll {

int CallWithRequest::check(MPI_Comm comm) const {
  if (request_ == nullptr) {
    return entry.null_argument(comm, "request");
  }
  if (info_ != MPI_INFO_NULL && find_info(entry.me, info_) == nullptr) {
    return entry.raise(comm, MPI_ERR_INFO, "info is not an info object");
  }
  return MPI_SUCCESS;
}

int CallWithRequest::finish(const Communicator& comm, std::unique_ptr<Operation> operation) const {
  *request_ = add_operation(entry.me, comm.handle, std::move(operation));
  trace_request(entry.me, trace::EventKind::start_collective, *request_);
  return MPI_SUCCESS;
}

int CallWithRequest::finish(const Communicator& comm, ScheduleBuilder& builder) const {
  *request_ = persistent_ ? add_persistent_operation(entry.me, comm.handle, builder.take(entry.call()))
                          : add_operation(entry.me, comm.handle, builder.take(entry.call()));
  trace_request(entry.me, trace::EventKind::start_collective, *request_);
  return MPI_SUCCESS;
}

}  // namespace coll
}  // namespace weft::mpi_shim

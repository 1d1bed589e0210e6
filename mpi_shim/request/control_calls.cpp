// MPI_Request_free, MPI_Cancel and MPI_Request_get_status and its like.
#include "mpi_shim/request/completion.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"
#include "mpi_shim/request/status.hpp"

using namespace weft::mpi_shim;
namespace runtime = weft::runtime;

namespace {

// MPI_Request_free of an active request: its operation goes on, and the program will not wait for it.
void abandon_request(RankState& me, PendingRequest& request) {
  request.persistent = false;
  request.abandoned = true;
  me.requests.abandoned.push_back(&request);
}

int cancel(const Entry& entry, PendingRequest& request) {
  if (request.operation) {
    const int error = request.operation->cancel(entry.me, request.finished);
    return error == MPI_SUCCESS ? error : entry.raise(request.comm, error, "this request cannot be cancelled");
  }
  // A send is not cancelled: MPI lets it complete normally, and the receiver may have matched it already.
  if (!request.message.done && request.message.kind == runtime::Request::Kind::receive) {
    runtime::cancel_receive(*entry.me.rank, request.message);
  } else if (request.message.failure == runtime::Failure::any_source) {
    request.message.failure = runtime::Failure::none;
    request.message.cancelled = true;
  }
  return MPI_SUCCESS;
}

// Fills the status and leaves the request as it is. Drops the request's error, which the call that completes it
// reports.
void peek_status(RankState& me, PendingRequest& request, MPI_Status& status) {
  if (request.operation) {
    fill_empty_status(status);
    request.operation->finish(me, status);
    me.pending_exception.rethrow();
    return;
  }
  fill_message_status(request.message, &status);
}

// `request` is null for MPI_REQUEST_NULL and inactive requests, whose status is the empty one.
void peek(RankState& me, PendingRequest* request, MPI_Status* status) {
  if (status == MPI_STATUS_IGNORE) {
    return;
  }
  if (request == nullptr) {
    fill_empty_status(*status);
  } else {
    peek_status(me, *request, *status);
  }
}

MPI_Status* element(MPI_Status* statuses, std::size_t i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : &statuses[i];
}

int request_free(const Entry& entry, MPI_Request* request) {
  const OneRequest one(entry, request);
  if (one.request == nullptr) {
    return one.error != MPI_SUCCESS ? one.error
                                    : entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "request is MPI_REQUEST_NULL");
  }
  PendingRequest& pending = *one.request;
  if (pending.active && !pending.done() && pending.operation && pending.operation->collective()) {
    return entry.raise(pending.comm, MPI_ERR_REQUEST,
                       "the request is that of a collective operation, which is not complete: wait for it instead");
  }
  *request = MPI_REQUEST_NULL;
  if (pending.active && !pending.done()) {
    abandon_request(entry.me, pending);
    return MPI_SUCCESS;
  }
  const MPI_Comm comm = pending.comm;
  const int error = pending.operation ? pending.operation->free(entry.me) : MPI_SUCCESS;
  entry.me.requests.release(pending);
  return error == MPI_SUCCESS ? error : entry.raise(comm, error, "the request's free function failed");
}

int cancel(const Entry& entry, MPI_Request* request) {
  const OneRequest one(entry, request);
  if (!one.active()) {
    return one.error != MPI_SUCCESS ? one.error
                                    : entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is not active");
  }
  return cancel(entry, *one.request);
}

int request_get_status(const Entry& entry, MPI_Request request, int* flag, MPI_Status* status) {
  const OneRequest one(entry, &request);
  if (one.error != MPI_SUCCESS) {
    return one.error;
  }
  if (one.active() && !one.request->done()) {
    make_progress(entry.me);
  }
  *flag = !one.active() || one.request->done() ? 1 : 0;
  if (*flag != 0) {
    peek(entry.me, one.active() ? one.request : nullptr, status);
  }
  return MPI_SUCCESS;
}

int request_get_status_all(const Entry& entry, int count, const MPI_Request array_of_requests[], int* flag,
                           MPI_Status* array_of_statuses) {
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (!set.all_done()) {
    make_progress(entry.me);
    set.recount();
  }
  *flag = set.all_done() ? 1 : 0;
  for (std::size_t i = 0; *flag != 0 && i < set.size(); ++i) {
    peek(entry.me, set[i], element(array_of_statuses, i));
  }
  return MPI_SUCCESS;
}

int request_get_status_any(const Entry& entry, int count, const MPI_Request array_of_requests[], int* indx, int* flag,
                           MPI_Status* status) {
  RequestSet set(entry, count, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (!set.any_done()) {
    make_progress(entry.me);
    set.recount();
  }
  *indx = MPI_UNDEFINED;
  *flag = set.none_active() || set.any_done() ? 1 : 0;
  if (set.none_active()) {
    peek(entry.me, nullptr, status);
  }
  for (std::size_t i = 0; set.any_done() && *indx == MPI_UNDEFINED; ++i) {
    if (set[i] != nullptr && set[i]->done()) {
      *indx = static_cast<int>(i);
      peek(entry.me, set[i], status);
    }
  }
  return MPI_SUCCESS;
}

int request_get_status_some(const Entry& entry, int incount, const MPI_Request array_of_requests[], int* outcount,
                            int array_of_indices[], MPI_Status* array_of_statuses) {
  RequestSet set(entry, incount, array_of_requests);
  if (set.error() != MPI_SUCCESS) {
    return set.error();
  }
  if (set.none_active()) {
    *outcount = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  if (!set.any_done()) {
    make_progress(entry.me);
    set.recount();
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < set.size(); ++i) {
    if (set[i] != nullptr && set[i]->done()) {
      peek(entry.me, set[i], element(array_of_statuses, out));
      array_of_indices[out++] = static_cast<int>(i);
    }
  }
  *outcount = static_cast<int>(out);
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/request/control_calls.inc"

// MPI_Send, MPI_Recv and their non-blocking forms.
#include "mpi_shim/p2p/point_to_point.hpp"

#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/status.hpp"

namespace weft::mpi_shim {
inline namespace p2p {

using runtime::SendMode;

void complete_null_receive(runtime::Request& request) {
  request.kind = runtime::Request::Kind::receive;
  request.done = true;
  request.truncated = false;
  request.cancelled = false;
  request.failure = runtime::Failure::none;
  request.key = {0, MPI_PROC_NULL, MPI_ANY_TAG};
  request.bytes = 0;
}

void complete_null_send(runtime::Request& request) {
  request.kind = runtime::Request::Kind::send;
  request.done = true;
  request.cancelled = false;
  request.failure = runtime::Failure::none;
}

namespace {

[[gnu::noinline, gnu::cold]] int receive_nothing(const Entry& entry, const MessageArguments& call, MPI_Status* status) {
  const int error = refuse_receive(entry, call);
  if (error == MPI_SUCCESS && status != MPI_STATUS_IGNORE) {
    fill_status(*status, MPI_PROC_NULL, MPI_ANY_TAG, 0);
  }
  return error;
}

[[gnu::noinline, gnu::cold]] int request_null_send(const Entry& entry, const MessageArguments& call,
                                                   MPI_Request* request) {
  const int error = refuse_send(entry, call);
  if (error == MPI_SUCCESS) {
    *request = entry.me.requests.completed_send().handle;
  }
  return error;
}

[[gnu::noinline, gnu::cold]] int request_null_receive(const Entry& entry, const MessageArguments& call,
                                                      MPI_Request* request) {
  const int error = refuse_receive(entry, call);
  if (error == MPI_SUCCESS) {
    PendingRequest& pending = entry.me.requests.acquire();
    pending.comm = call.comm;
    complete_null_receive(pending.message);
    *request = pending.handle;
  }
  return error;
}

// Inlined, since one more function call costs a twentieth of a short message.
[[gnu::always_inline]] inline int send_inline(const Entry& entry, const MessageArguments& call, SendMode mode) {
  CheckedMessage checked;
  if (!checked.checks_as_send(entry.me, call)) [[unlikely]] {
    return refuse_send(entry, call);
  }
  runtime::Request request;
  trace_sent(entry.me, call);
  start(entry.me, checked, call, mode, request);
  if (!request.done) {
    wait_message(entry.me, request);
  }
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, call.comm, request.failure);
  }
  return MPI_SUCCESS;
}

}  // namespace

int send(const Entry& entry, const MessageArguments& call, SendMode mode) { return send_inline(entry, call, mode); }

int receive(const Entry& entry, const MessageArguments& call, MPI_Status* status) {
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) [[unlikely]] {
    return receive_nothing(entry, call, status);
  }
  runtime::Request request;
  start(entry.me, checked, call, request);
  wait_message(entry.me, request);
  if (request.failure != runtime::Failure::none) [[unlikely]] {
    return raise_failure(entry, call.comm, request.failure);
  }
  trace_received(entry.me, call, request);
  if (status != MPI_STATUS_IGNORE) {
    fill_status(*status, request.key.source, request.key.tag, request.bytes);
  }
  return request.truncated ? report_truncation(entry, call.comm, request) : MPI_SUCCESS;
}

int start_send_request(const Entry& entry, const MessageArguments& call, SendMode mode, MPI_Request* request) {
  CheckedMessage checked;
  if (!checked.checks_as_send(entry.me, call)) [[unlikely]] {
    return request_null_send(entry, call, request);
  }
  RequestTable& table = entry.me.requests;
  PendingRequest& pending = table.acquire();
  trace_start_send(entry.me, call, pending.handle);
  start(entry.me, checked, call, mode, pending.message);
  if (pending.message.done && pending.message.failure == runtime::Failure::none &&
      !entry.me.rank->job.config().keeps_requests) {
    trace_request(entry.me, trace::EventKind::end_request, pending.handle);
    table.release(pending);
    *request = table.completed_send().handle;
    return MPI_SUCCESS;
  }
  if (pending.message.buffer.layout != nullptr) {
    pending.type = keep_alive(*checked.type);
  }
  pending.comm = call.comm;
  *request = pending.handle;
  return MPI_SUCCESS;
}

int start_receive_request(const Entry& entry, const MessageArguments& call, MPI_Request* request) {
  CheckedMessage checked;
  if (!checked.checks_as_receive(entry.me, call)) [[unlikely]] {
    return request_null_receive(entry, call, request);
  }
  PendingRequest& pending = entry.me.requests.acquire();
  trace_start_receive(entry.me, call.peer, call.tag, pending.handle);
  start(entry.me, checked, call, pending.message);
  if (pending.message.buffer.layout != nullptr) {
    pending.type = keep_alive(*checked.type);
  }
  pending.comm = call.comm;
  *request = pending.handle;
  return MPI_SUCCESS;
}

}  // namespace p2p
}  // namespace weft::mpi_shim

using namespace weft::mpi_shim;
using weft::runtime::SendMode;

#include "mpi_shim/generated/p2p/point_to_point.inc"

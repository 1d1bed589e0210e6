// MPI_Send_init, MPI_Start and their like: a PreparedMessage keeps the checked arguments for MPI_Start.
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/p2p/buffered_send.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/request_set.hpp"

using namespace weft::mpi_shim;
using weft::runtime::SendMode;

namespace {

// Which of MPI_Send_init, MPI_Ssend_init and MPI_Bsend_init made the request.
struct SendVariant {
  SendMode mode = SendMode::standard;
  bool buffered = false;
};

int add_persistent(const Entry& entry, const MessageArguments& call, const PreparedMessage& prepared,
                   MPI_Request* request) {
  PendingRequest& pending = entry.me.requests.acquire();
  pending.active = false;
  pending.persistent = true;
  pending.comm = call.comm;
  pending.prepared = std::make_unique<PreparedMessage>(prepared);
  pending.type = keep_alive(*find_datatype(entry.me, call.datatype));
  *request = pending.handle;
  return MPI_SUCCESS;
}

int send_init(const Entry& entry, const MessageArguments& call, SendVariant variant, MPI_Request* request) {
  CheckedMessage checked;
  PreparedMessage prepared;
  prepared.mode = variant.mode;
  prepared.buffered = variant.buffered;
  if (checked.checks_as_send(entry.me, call)) {
    prepared.to = &checked.receiver(entry.me, call);
    prepared.buffer = checked.buffer(call);
    prepared.key = checked.send_key(call);
    prepared.peer = call.peer;
  } else if (const int error = refuse_send(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  return add_persistent(entry, call, prepared, request);
}

int recv_init(const Entry& entry, const MessageArguments& call, MPI_Request* request) {
  CheckedMessage checked;
  PreparedMessage prepared;
  prepared.receives = true;
  if (checked.checks_as_receive(entry.me, call)) {
    prepared.buffer = checked.buffer(call);
    prepared.key = checked.receive_key(call);
    prepared.peer = call.peer;
  } else if (const int error = refuse_receive(entry, call); error != MPI_SUCCESS) {
    return error;
  }
  return add_persistent(entry, call, prepared, request);
}

int start_message(const Entry& entry, PendingRequest& pending) {
  const PreparedMessage& prepared = *pending.prepared;
  if (prepared.peer != MPI_PROC_NULL && entry.me.rank->job.failures() != nullptr) [[unlikely]] {
    if (const auto why = known_failure(entry.me, prepared.key); why != weft::runtime::Failure::none) {
      const auto kind = prepared.receives ? weft::runtime::Request::Kind::receive : weft::runtime::Request::Kind::send;
      pending.message.reset(*entry.me.rank, kind, prepared.key, prepared.buffer);
      complete_failed(why, pending.message);
      return MPI_SUCCESS;
    }
  }
  if (prepared.receives) {
    if (prepared.peer == MPI_PROC_NULL) {
      complete_null_receive(pending.message);
    } else {
      trace_start_receive(entry.me, prepared.peer, prepared.key.tag, pending.handle);
      weft::runtime::start_receive(*entry.me.rank, prepared.key, prepared.buffer, pending.message);
      if (!pending.message.done && entry.me.rank->job.failures() != nullptr) [[unlikely]] {
        fail_if_unmatchable(entry.me, pending.message);
      }
    }
    return MPI_SUCCESS;
  }
  trace_start_send(
      entry.me,
      {nullptr, static_cast<MPI_Count>(prepared.buffer.bytes), MPI_BYTE, prepared.peer, prepared.key.tag, pending.comm},
      pending.handle);
  if (prepared.to == nullptr || prepared.buffered) {
    complete_null_send(pending.message);
    return prepared.to == nullptr ? MPI_SUCCESS : start_buffered(entry, pending.comm, prepared);
  }
  pending.message.prepare_send(*entry.me.rank, prepared.key, prepared.peer, prepared.buffer);
  weft::runtime::start_send(*prepared.to, prepared.mode, pending.message);
  return MPI_SUCCESS;
}

int start_operation(const Entry& entry, PendingRequest& pending) {
  if (pending.operation->collective()) {
    trace_request(entry.me, weft::trace::EventKind::restart, pending.handle);
  }
  if (const int error = pending.operation->start(entry.me); error != MPI_SUCCESS) {
    return entry.raise(pending.comm, error, "the operation could not be started");
  }
  begin_operation(entry.me, pending);
  return MPI_SUCCESS;
}

int start_one(const Entry& entry, const MPI_Request* request) {
  const OneRequest one(entry, request);
  if (one.error != MPI_SUCCESS) {
    return one.error;
  }
  if (one.request == nullptr || !one.request->persistent) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_REQUEST, "the request is not a persistent one");
  }
  if (one.request->active) {
    return entry.raise(one.request->comm, MPI_ERR_REQUEST, "the request is active already");
  }
  const int error = one.request->operation ? start_operation(entry, *one.request) : start_message(entry, *one.request);
  one.request->active = error == MPI_SUCCESS;
  return error;
}

int startall(const Entry& entry, int count, MPI_Request array_of_requests[]) {
  if (count < 0) {
    return entry.raise(MPI_COMM_NULL, MPI_ERR_COUNT, "count {} is negative", count);
  }
  for (int i = 0; i < count; ++i) {
    if (const int error = start_one(entry, &array_of_requests[i]); error != MPI_SUCCESS) {
      return error;
    }
  }
  return MPI_SUCCESS;
}

}  // namespace

#include "mpi_shim/generated/p2p/persistent.inc"

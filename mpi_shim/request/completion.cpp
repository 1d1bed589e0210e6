#include "mpi_shim/request/completion.hpp"

#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/entry/traced_calls.hpp"
#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/request/status.hpp"

namespace weft::mpi_shim {
inline namespace request {

namespace {

int fill_operation_status(RankState& me, PendingRequest& request, MPI_Status* status) {
  MPI_Status own;
  MPI_Status& target = status == MPI_STATUS_IGNORE ? own : *status;
  const int before = target.MPI_ERROR;
  fill_empty_status(target);
  const int error = request.operation->finish(me, target);
  target.MPI_ERROR = before;
  const int freed = request.operation->free(me);
  return error != MPI_SUCCESS ? error : freed;
}

// The messages that the rank's requests still wait for.
std::vector<runtime::Request*> open_messages(RankState& me) {
  std::vector<runtime::Request*> messages;
  me.requests.for_each([&](PendingRequest& request) {
    if (!request.done() && request.operation) {
      if (request.active) {
        request.operation->add_open(messages);
      }
    } else if (!request.done()) {
      messages.push_back(&request.message);
    }
  });
  return messages;
}

}  // namespace

int fill_message_status(const runtime::Request& message, MPI_Status* status) {
  if (message.failure != runtime::Failure::none) [[unlikely]] {
    if (status != MPI_STATUS_IGNORE) {
      fill_status(*status, message.kind == runtime::Request::Kind::receive ? message.key.source : MPI_ANY_SOURCE,
                  MPI_ANY_TAG, 0);
    }
    return error_class_of(message.failure);
  }
  const bool receives = message.kind == runtime::Request::Kind::receive;
  if (status != MPI_STATUS_IGNORE) {
    if (receives && !message.cancelled) {
      fill_status(*status, message.key.source, message.key.tag, message.bytes);
    } else {
      fill_status(*status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, message.cancelled);
    }
  }
  return receives && message.truncated ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

int complete_request(RankState& me, PendingRequest& request, MPI_Request& handle, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE && calls_are_traced ? &own : status;
  const int error =
      request.operation ? fill_operation_status(me, request, told) : fill_message_status(request.message, told);
  if (calls_are_traced) [[unlikely]] {
    trace_end(me, request, *told);
  }
  if (request.message.failure == runtime::Failure::any_source) [[unlikely]] {
    return error;  // MPI keeps the receive pending
  }
  if (request.persistent) {
    request.active = false;
  } else {
    handle = MPI_REQUEST_NULL;
    me.requests.release(request);
  }
  return error;
}

bool quiesce_requests(RankState& me) {
  const std::vector<runtime::Request*> messages = open_messages(me);
  if (messages.empty()) {
    return true;
  }
  runtime::yield(*me.rank);  // messages that were sent before MPI_Finalize may be under way
  bool settled = true;
  for (runtime::Request* message : messages) {
    if (!message->done && message->kind == runtime::Request::Kind::receive) {
      runtime::cancel_receive(*me.rank, *message);
    }
    settled &= message->done;
  }
  return settled;
}

void finish_abandoned_requests(RankState& me) {
  for (PendingRequest* request : me.requests.abandoned) {
    if (!request->done() && request->operation) {
      request->operation->withdraw(me);
    } else if (!request->done() && request->message.kind == runtime::Request::Kind::receive) {
      runtime::cancel_receive(*me.rank, request->message);
    }
  }
  while (!me.requests.abandoned.empty()) {
    PendingRequest* const request = me.requests.abandoned.back();
    me.requests.abandoned.pop_back();
    if (!request->done()) {
      wait_all_pending(me, {&request, 1});
    }
    me.requests.release(*request);
  }
}

void add_leaked_requests(RankState& me, std::vector<Leak>& leaks) {
  me.requests.for_each([&](const PendingRequest& request) {
    Leak leak{request.persistent ? "persistent request never freed" : "request never completed",
              creation_of(me.creations, request.handle)};
    const runtime::Request& message = request.message;
    if (request.prepared) {
      const PreparedMessage& prepared = *request.prepared;
      leak.message = {prepared.buffer.bytes, prepared.peer, prepared.key.tag, !prepared.receives};
    } else if (!request.operation) {
      const bool is_sent = message.kind == runtime::Request::Kind::send;
      leak.message = {message.buffer.bytes, is_sent ? message.peer : message.key.source, message.key.tag, is_sent};
    }
    leaks.push_back(std::move(leak));
  });
}

}  // namespace request
}  // namespace weft::mpi_shim

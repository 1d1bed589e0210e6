#include "mpi_shim/request/completion.hpp"

#include <fmt/format.h>

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

int fill_message_status(const runtime::Request& message, MPI_Status* status) {
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

// What the rank's requests still wait for.
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

int conclude(RankState& me, PendingRequest& request, MPI_Request& handle, MPI_Status* status) {
  MPI_Status own;
  MPI_Status* const told = status == MPI_STATUS_IGNORE && calls_are_traced ? &own : status;
  const int error =
      request.operation ? fill_operation_status(me, request, told) : fill_message_status(request.message, told);
  if (calls_are_traced) [[unlikely]] {
    trace_end(me, request, *told);
  }
  if (request.persistent) {
    request.active = false;
  } else {
    handle = MPI_REQUEST_NULL;
    me.requests.release(request);
  }
  return error;
}

bool settle_requests(RankState& me) {
  const std::vector<runtime::Request*> messages = open_messages(me);
  if (messages.empty()) {
    return true;
  }
  runtime::yield(*me.rank);  // what completed before MPI_Finalize may be on its way
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

std::vector<std::string> leaked_requests(RankState& me) {
  std::vector<std::string> lines;
  me.requests.for_each([&](const PendingRequest& request) {
    const char* const life = request.persistent ? "persistent" : "pending";
    const runtime::Request& message = request.message;
    if (request.operation) {
      lines.push_back(fmt::format("a {} request of an operation", life));
    } else if (message.kind == runtime::Request::Kind::send) {
      lines.push_back(fmt::format("a {} send of {} bytes to rank {}, tag {}", life, message.buffer.bytes, message.peer,
                                  message.key.tag));
    } else {
      lines.push_back(fmt::format("a {} receive of {} bytes from rank {}, tag {}", life, message.buffer.bytes,
                                  message.key.source, message.key.tag));
    }
  });
  return lines;
}

}  // namespace request
}  // namespace weft::mpi_shim

// Records the messages and requests of calls in the job's timeline. Without a timeline this costs a test of
// calls_are_traced.
#pragma once

#include "mpi_shim/entry/message_arguments.hpp"
#include "trace/event.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// Records that the event happens now in the calling rank; fills in the rank and the time.
void trace_event(const RankState& me, trace::Event event);
// The same for an event of this communicator, which is described in the timeline first.
void trace_event(const RankState& me, const Communicator& comm, trace::Event event);
// Takes the event's peer, tag, comm and bytes from the call's arguments, which are checked already. Records nothing for
// MPI_PROC_NULL.
void trace_message(RankState& me, const MessageArguments& call, trace::EventKind kind, MPI_Request request);
// Records a complete receive. Peer, tag and bytes are those of the message, as `request` has them; `call` has the
// communicator, and says whether any source or tag was accepted.
void trace_receive(RankState& me, const MessageArguments& call, const runtime::Request& request);
// Records whether a receive accepts any source or any tag: one that begins with this request or, if that is null, one
// that is complete.
void trace_wildcards(const RankState& me, int source, int tag, MPI_Request request);
// Records that the request completes for the program, with this status.
void trace_end(RankState& me, const PendingRequest& request, const MPI_Status& status);

// A blocking send, before it starts.
inline void trace_sent(RankState& me, const MessageArguments& call) {
  if (calls_are_traced) [[unlikely]] {
    trace_message(me, call, trace::EventKind::sent, MPI_REQUEST_NULL);
  }
}
// The receive of a blocking call is complete; `request` is the message's.
inline void trace_received(RankState& me, const MessageArguments& call, const runtime::Request& request) {
  if (calls_are_traced) [[unlikely]] {
    trace_receive(me, call, request);
  }
}
// A send with a request, before it starts.
inline void trace_start_send(RankState& me, const MessageArguments& call, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_message(me, call, trace::EventKind::start_send, request);
  }
}
// Records another event of a request.
inline void trace_request(const RankState& me, trace::EventKind kind, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_event(me, {.kind = kind, .request = static_cast<std::uint32_t>(handle_value(request))});
  }
}
// A receive with a request, before it starts.
inline void trace_start_receive(const RankState& me, int source, int tag, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_wildcards(me, source, tag, request);
    trace_request(me, trace::EventKind::start_receive, request);
  }
}

}  // namespace entry
}  // namespace weft::mpi_shim

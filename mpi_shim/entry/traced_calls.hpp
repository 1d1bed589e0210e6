// Records the messages and requests of calls in the job's timeline. Without one this costs a test of calls_are_traced.
#pragma once

#include "mpi_shim/entry/message_arguments.hpp"
#include "trace/event.hpp"

namespace weft::mpi_shim {
inline namespace entry {

// Writes down that the event happens now in the calling rank; its number and the time are filled in.
[[gnu::cold]] void trace_event(const RankState& me, trace::Event event);
// The same for one of this communicator, which the timeline learns of first.
[[gnu::cold]] void trace_event(const RankState& me, const Communicator& comm, trace::Event event);
// The event's peer, tag, comm and bytes are those of the call's arguments, which are right; nothing for MPI_PROC_NULL.
[[gnu::cold]] void trace_message(RankState& me, const MessageArguments& call, trace::EventKind kind,
                                 MPI_Request request);
// Those of a complete receive, which `call` asked for.
[[gnu::cold]] void trace_receive(RankState& me, const MessageArguments& call, const runtime::Request& request);
// A receive that begins behind this request, or if that is null is complete: whether it takes any source or tag.
[[gnu::cold]] void trace_wildcards(const RankState& me, int source, int tag, MPI_Request request);
// A request ends for the program, with this status.
[[gnu::cold]] void trace_end(RankState& me, const PendingRequest& request, const MPI_Status& status);

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
// A send behind a request, before it starts.
inline void trace_start_send(RankState& me, const MessageArguments& call, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_message(me, call, trace::EventKind::start_send, request);
  }
}
// What else can be said of a request.
inline void trace_request(const RankState& me, trace::EventKind kind, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_event(me, {.kind = kind, .request = static_cast<std::uint32_t>(handle_value(request))});
  }
}
// A receive behind a request, before it starts.
inline void trace_start_receive(const RankState& me, int source, int tag, MPI_Request request) {
  if (calls_are_traced) [[unlikely]] {
    trace_wildcards(me, source, tag, request);
    trace_request(me, trace::EventKind::start_receive, request);
  }
}

}  // namespace entry
}  // namespace weft::mpi_shim

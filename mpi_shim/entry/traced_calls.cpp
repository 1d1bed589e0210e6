#include "mpi_shim/entry/traced_calls.hpp"

#include "mpi_shim/request/status.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/timeline/recorder.hpp"
#include "trace/communicators.hpp"

namespace weft::mpi_shim {
inline namespace entry {
namespace {

// Null in calls of threads that a rank has started.
runtime::Recorder* recorder() {
  const runtime::Worker* const here = runtime::Worker::current();
  return here == nullptr || here->context() != here->running() ? nullptr : here->recorder();
}

std::string group_text(const Group& group) {
  std::vector<std::uint32_t> ranks;
  for (int i = 0; i < group.size(); ++i) {
    ranks.push_back(static_cast<std::uint32_t>(group.job_rank(i)));
  }
  return trace::group_text(ranks);
}

// The same at all members.
std::string text_of(const Communicator& comm) {
  const CommShared& shared = *comm.shared;
  std::string text = group_text(*shared.group);
  if (comm.is_inter()) {
    const std::string other = group_text(*shared.remote);
    text = shared.side == 0 ? text + '/' + other : other + '/' + text;
  }
  const bool world = shared.context == kWorldContext && comm.name.empty();
  return text + ' ' + (world ? "MPI_COMM_WORLD" : comm.name);
}

}  // namespace

void trace_event(const RankState& me, trace::Event event) {
  if (runtime::Recorder* const to = recorder(); to != nullptr) {
    event.rank = me.rank->id;
    to->record_now(event);
  }
}

void trace_event(const RankState& me, const Communicator& comm, trace::Event event) {
  runtime::Recorder* const to = recorder();
  if (to == nullptr) {
    return;
  }
  event.comm = comm.shared->context;
  const void* const what = comm.shared->lease.get();
  if (event.comm != trace::Communicators::kSelfContext && !to->has_communicator(event.comm, what)) {
    to->record_communicator(me.rank->id, event.comm, what, text_of(comm));
  }
  event.rank = me.rank->id;
  to->record_now(event);
}

void trace_message(RankState& me, const MessageArguments& call, trace::EventKind kind, MPI_Request request) {
  const Communicator* const comm = find_comm(me, call.comm);
  const Datatype* const type = find_datatype(me, call.datatype);
  if (comm == nullptr || type == nullptr || call.peer < 0) {
    return;
  }
  trace_event(me, *comm,
              {.kind = kind,
               .peer = static_cast<std::uint32_t>(call.peer),
               .tag = call.tag,
               .request = static_cast<std::uint32_t>(handle_value(request)),
               .value = static_cast<std::int64_t>(type->size()) * call.count});
}

void trace_wildcards(const RankState& me, int source, int tag, MPI_Request request) {
  const std::int64_t bits =
      (source == MPI_ANY_SOURCE ? trace::kAnySource : 0) | (tag == MPI_ANY_TAG ? trace::kAnyTag : 0);
  if (calls_are_recorded && bits != 0) {
    trace_event(me, {.kind = trace::EventKind::wildcard,
                     .request = request == MPI_REQUEST_NULL ? 0 : static_cast<std::uint32_t>(handle_value(request)),
                     .value = bits});
  }
}

void trace_receive(RankState& me, const MessageArguments& call, const runtime::Request& request) {
  trace_wildcards(me, call.peer, call.tag, MPI_REQUEST_NULL);
  trace_message(
      me, {nullptr, static_cast<MPI_Count>(request.bytes), MPI_BYTE, request.key.source, request.key.tag, call.comm},
      trace::EventKind::received, MPI_REQUEST_NULL);
}

void trace_end(RankState& me, const PendingRequest& request, const MPI_Status& status) {
  const bool exchange = request.operation && request.operation->kind() == Operation::Kind::exchange;
  const bool receives = exchange || (!request.operation && request.message.kind == runtime::Request::Kind::receive);
  if (exchange || !receives) {
    trace_request(me, trace::EventKind::end_request, request.handle);
  }
  if (receives && status_cancelled(status)) {
    trace_request(me, trace::EventKind::cancel, request.handle);
  } else if (receives) {
    trace_message(me,
                  {nullptr, static_cast<MPI_Count>(status_bytes(status)), MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG,
                   request.comm},
                  trace::EventKind::end_receive, request.handle);
  }
}

}  // namespace entry
}  // namespace weft::mpi_shim

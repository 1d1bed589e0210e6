#include "trace/otf2/location.hpp"

#include <algorithm>
#include <array>

namespace weft::trace::otf2 {
namespace {

constexpr const char* kWrite = "write an event";

struct Operation {
  std::string_view name;
  OTF2_CollectiveOp operation;
};
constexpr std::array kOperations{
    Operation{"Barrier", OTF2_COLLECTIVE_OP_BARRIER},
    Operation{"Bcast", OTF2_COLLECTIVE_OP_BCAST},
    Operation{"Gather", OTF2_COLLECTIVE_OP_GATHER},
    Operation{"Gatherv", OTF2_COLLECTIVE_OP_GATHERV},
    Operation{"Scatter", OTF2_COLLECTIVE_OP_SCATTER},
    Operation{"Scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
    Operation{"Allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
    Operation{"Allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
    Operation{"Alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
    Operation{"Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
    Operation{"Alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
    Operation{"Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
    Operation{"Reduce", OTF2_COLLECTIVE_OP_REDUCE},
    Operation{"Reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
    Operation{"Reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
    Operation{"Scan", OTF2_COLLECTIVE_OP_SCAN},
    Operation{"Exscan", OTF2_COLLECTIVE_OP_EXSCAN},
};

bool drop_prefix(std::string_view& text, std::string_view prefix) {
  const bool there = text.starts_with(prefix);
  text.remove_prefix(there ? prefix.size() : 0);
  return there;
}

bool drop_suffix(std::string_view& text, std::string_view suffix) {
  const bool there = text.ends_with(suffix);
  text.remove_suffix(there ? suffix.size() : 0);
  return there;
}

enum class CallMode : std::uint8_t { blocking, nonblocking, persistent };

// Of a collective call.
CallMode call_mode(std::string_view call) {
  drop_suffix(call, "_c");
  return call.ends_with("_init")     ? CallMode::persistent
         : call.starts_with("MPI_I") ? CallMode::nonblocking
                                     : CallMode::blocking;
}

}  // namespace

std::optional<OTF2_CollectiveOp> operation_of(std::string_view call) {
  drop_prefix(call, "MPI_");
  drop_suffix(call, "_c");
  drop_suffix(call, "_init");
  const auto named = [&](std::string_view name) {
    const auto* const found = std::ranges::find(kOperations, name, &Operation::name);
    return found == kOperations.end() ? std::nullopt : std::optional(found->operation);
  };
  if (call.size() > 1 && call[0] == 'I') {  // MPI_Ibcast
    std::string name(call.substr(1));
    name[0] = static_cast<char>(name[0] - 'a' + 'A');
    return named(name);
  }
  return named(call);
}

void Location::handle(std::uint32_t worker, const Event& event, const Names& calls, const Communicators& comms) {
  if (event.kind == EventKind::run || event.kind == EventKind::park || event.kind == EventKind::comm ||
      event.kind == EventKind::algorithm || is_recording_only(event.kind)) {
    return;
  }
  now_ = std::max(now_, event.time);
  begin_at(worker);
  const std::uint32_t found = fields_of(event.kind).comm ? comms.find(event.comm, event.rank) : 0;
  const OTF2_CommRef comm = found == Communicators::kUnknown ? OTF2_UNDEFINED_COMM : found;
  switch (event.kind) {
    case EventKind::call_begin:
    case EventKind::call_end:
      return write_call(event, calls);
    case EventKind::collective:
    case EventKind::start_collective:
    case EventKind::restart:
      return write_collective(event, comm);
    case EventKind::end_request:
      return complete(event.request);
    case EventKind::move:
      return move(worker, event.peer);
    case EventKind::stolen:
      return move(event.peer, worker);
    default:
      return write_message(event, comm);
  }
}

void Location::enter(OTF2_RegionRef region) { must(OTF2_EvtWriter_Enter(writer_, nullptr, now_, region), kWrite); }

void Location::begin_at(std::uint32_t worker) {
  if (!worker_) {
    enter(kProgramRegion);
  }
  if (worker_ != worker) {
    worker_ = worker;
    write_metric(kWorkerMetric, worker);
  }
}

void Location::write_metric(OTF2_MetricRef metric, std::int64_t value) {
  const OTF2_Type type = OTF2_TYPE_INT64;
  OTF2_MetricValue written;
  written.signed_int = value;
  must(OTF2_EvtWriter_Metric(writer_, nullptr, now_, metric, 1, &type, &written), kWrite);
}

void Location::write_call(const Event& event, const Names& calls) {
  if (event.kind == EventKind::call_end) {
    leave();
    return;
  }
  calls_.push_back({kFirstRegion + event.name, calls.texts()[event.name], {}});
  enter(calls_.back().region);
}

void Location::leave() {
  if (calls_.empty()) {
    return;
  }
  const Call& call = calls_.back();
  if (call.collective && call_mode(call.name) == CallMode::blocking) {
    const Collective& done = *call.collective;
    must(OTF2_EvtWriter_MpiCollectiveEnd(writer_, nullptr, now_, done.operation, done.comm, done.root, done.sent,
                                         done.received),
         kWrite);
  }
  must(OTF2_EvtWriter_Leave(writer_, nullptr, now_, call.region), kWrite);
  calls_.pop_back();
}

void Location::write_message(const Event& event, OTF2_CommRef comm) {
  const auto tag = static_cast<std::uint32_t>(event.tag);
  const auto bytes = static_cast<std::uint64_t>(event.value);
  if (event.kind == EventKind::sent) {
    must(OTF2_EvtWriter_MpiSend(writer_, nullptr, now_, event.peer, comm, tag, bytes), kWrite);
  } else if (event.kind == EventKind::received) {
    must(OTF2_EvtWriter_MpiRecv(writer_, nullptr, now_, event.peer, comm, tag, bytes), kWrite);
  } else if (event.kind == EventKind::start_send) {
    const std::uint64_t request = sends_[event.request] = next_request_++;
    must(OTF2_EvtWriter_MpiIsend(writer_, nullptr, now_, event.peer, comm, tag, bytes, request), kWrite);
  } else if (event.kind == EventKind::start_receive) {
    const std::uint64_t request = receives_[event.request] = next_request_++;
    must(OTF2_EvtWriter_MpiIrecvRequest(writer_, nullptr, now_, request), kWrite);
  } else if (const auto request = finish(receives_, event.request); request && event.kind == EventKind::end_receive) {
    must(OTF2_EvtWriter_MpiIrecv(writer_, nullptr, now_, event.peer, comm, tag, bytes, *request), kWrite);
  } else if (request) {
    must(OTF2_EvtWriter_MpiRequestCancelled(writer_, nullptr, now_, *request), kWrite);
  }
}

std::optional<std::uint64_t> Location::finish(Requests& requests, std::uint32_t request) {
  const auto found = requests.find(request);
  if (found == requests.end()) {
    return {};
  }
  const std::uint64_t number = found->second;
  requests.erase(found);
  return number;
}

void Location::write_collective(const Event& event, OTF2_CommRef comm) {
  if (event.kind == EventKind::collective) {
    begin_collective(event, comm);
    return;
  }
  if (event.kind == EventKind::start_collective) {
    collectives_.erase(event.request);
    if (calls_.empty() || !calls_.back().collective) {
      return;
    }
    collectives_[event.request] = *calls_.back().collective;
    if (call_mode(calls_.back().name) == CallMode::persistent) {
      return;
    }
  }
  if (const auto found = collectives_.find(event.request); found != collectives_.end()) {
    start(found->second);
  }
}

void Location::begin_collective(const Event& event, OTF2_CommRef comm) {
  const auto operation = calls_.empty() ? std::nullopt : operation_of(calls_.back().name);
  if (!operation) {
    return;
  }
  calls_.back().collective = {
      *operation, comm, event.peer, static_cast<std::uint64_t>(event.value), static_cast<std::uint64_t>(event.more), 0};
  if (call_mode(calls_.back().name) == CallMode::blocking) {
    must(OTF2_EvtWriter_MpiCollectiveBegin(writer_, nullptr, now_), kWrite);
  }
}

void Location::start(Collective& collective) {
  collective.request = next_request_++;
  must(OTF2_EvtWriter_NonBlockingCollectiveRequest(writer_, nullptr, now_, collective.request), kWrite);
}

void Location::complete(std::uint32_t request) {
  if (const auto send = finish(sends_, request); send) {
    must(OTF2_EvtWriter_MpiIsendComplete(writer_, nullptr, now_, *send), kWrite);
  } else if (const auto found = collectives_.find(request); found != collectives_.end()) {
    const Collective& done = found->second;
    must(OTF2_EvtWriter_NonBlockingCollectiveComplete(writer_, nullptr, now_, done.operation, done.comm, done.root,
                                                      done.sent, done.received, done.request),
         kWrite);
  }
}

void Location::move(std::uint32_t from, std::uint32_t to) {
  const std::string text = "rank " + std::to_string(number_) + " moves from worker " + std::to_string(from) +
                           " to worker " + std::to_string(to);
  must(OTF2_MarkerWriter_WriteMarker(archive_.markers(), now_, 0, kMoveMarker, OTF2_SCOPE_LOCATION, number_,
                                     text.c_str()),
       "write a marker");
}

void Location::handle_job(const Event& event) {
  if (event.kind == EventKind::counter) {
    now_ = std::max(now_, event.time);
    write_metric(kImbalanceMetric, event.value);
    return;
  }
  now_ = std::max(now_, event.time - static_cast<std::uint64_t>(event.value));
  enter(kStepRegion);
  now_ = std::max(now_, event.time);
  must(OTF2_EvtWriter_Leave(writer_, nullptr, now_, kStepRegion), kWrite);
}

std::uint64_t Location::close() {
  while (!calls_.empty()) {
    leave();
  }
  if (worker_) {
    must(OTF2_EvtWriter_Leave(writer_, nullptr, now_, kProgramRegion), kWrite);
  }
  return archive_.close_events(writer_);
}

}  // namespace weft::trace::otf2

#include "sim/recorded_rank.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace weft::sim {
namespace {

using trace::EventKind;

constexpr std::size_t kMostUnwaitedSends = 4096;  // with more, the end of any call waits for them
// The tag of neighbourhood collectives' messages; no other messages have it.
constexpr std::int32_t kNeighbourTag = -2;
// A rank that polls at shorter intervals is spinning: it only waits, and such polls add nothing.
constexpr Seconds kSpinning = 2e-6;

}  // namespace

void RecordedRank::handle(const trace::Event& event, const CallName& call) {
  switch (event.kind) {
    case EventKind::call_begin:
      return enter(call);
    case EventKind::call_end:
      return leave();
    case EventKind::compute:
      job_.counts.computing += static_cast<double>(event.value) * 1e-9;
      return writer_.compute(static_cast<double>(event.value) * 1e-9);
    case EventKind::sent:
      return call_.sent.push_back(message(event));
    case EventKind::received:
      return call_.received.push_back(message(event));
    case EventKind::start_send:
      return start_send(event);
    case EventKind::start_receive:
      active_[event.request].receive = writer_.open_receive();
      return;
    case EventKind::end_receive:
      return end_receive(event);
    case EventKind::end_request:
      return end_request(event.request);
    case EventKind::cancel:
      return cancel(event.request);
    case EventKind::wildcard:
      ++job_.counts.wildcards;
      return;
    case EventKind::block_to:
    case EventKind::block_from:
      return call_.blocks.push_back(event);
    case EventKind::collective:
      return collective(event);
    case EventKind::start_collective:
      return start_collective(event.request);
    case EventKind::restart:
      return restart(event.request);
    case EventKind::migrate:
      return migrate(event);
    case EventKind::phase:
      return writer_.phase(static_cast<std::uint32_t>(event.value));
    case EventKind::thread_call:
      throw WorkloadError(
          fmt::format("rank {} calls {} in a thread that it has started: that is not recorded", number_, call.text));
    default:
      return;
  }
}

void RecordedRank::refuse(const std::string& what) const {
  throw WorkloadError(fmt::format("rank {} calls {}: {}", number_, call_.name.text, what));
}

void RecordedRank::enter(const CallName& call) {
  if (depth_++ != 0) {
    return;
  }
  call_ = {.name = call};
  if (call.meaning.what == CallClass::refused) {
    refuse(fmt::format("{} cannot be replayed", call.meaning.reason));
  }
}

void RecordedRank::leave() {
  if (depth_ == 0 || --depth_ != 0) {
    return;
  }
  blocking_messages();
  blocking_collective();
  const CallClass what = call_.name.meaning.what;
  if (call_.ends_requests || what == CallClass::completion || unwaited_sends_.size() > kMostUnwaitedSends) {
    call_.waits.insert(call_.waits.end(), unwaited_sends_.begin(), unwaited_sends_.end());
    unwaited_sends_.clear();
  }
  if (!call_.waits.empty()) {
    writer_.wait(std::move(call_.waits));
  }
  if (what == CallClass::poll && !call_.ends_requests) {
    poll();
  }
  if (what == CallClass::creation && !call_.collective) {
    ++job_.counts.left_out[call_.name.text];
  }
  writer_.end_call();
}

std::uint32_t RecordedRank::find_comm(std::uint32_t context) const {
  const std::uint32_t comm = job_.comms.find(context, RankId{number_});
  if (comm == trace::Communicators::kUnknown) {
    refuse(fmt::format("the recording does not say what context {} is", context));
  }
  return comm;
}

RecordedMessage RecordedRank::message(const trace::Event& event) const {
  const std::uint32_t comm = find_comm(event.comm);
  return {.peer = job_.comms.peer(comm, RankId{number_}, event.peer),
          .tag = event.tag,
          .comm = comm,
          .bytes = static_cast<std::uint64_t>(event.value)};
}

void RecordedRank::count(const RecordedMessage& message) {
  ++job_.counts.messages;
  job_.counts.bytes += message.bytes;
}

// A call with sends and receives, such as MPI_Sendrecv, does both at the same time.
void RecordedRank::blocking_messages() {
  for (const RecordedMessage& message : call_.sent) {
    count(message);
  }
  if (call_.name.meaning.what == CallClass::buffered) {
    for (const RecordedMessage& message : call_.sent) {
      unwaited_sends_.push_back(writer_.start(ActionKind::isend, message));
    }
  } else if (call_.sent.empty() || call_.received.empty()) {
    for (const RecordedMessage& message : call_.sent) {
      writer_.block(ActionKind::send, message);
    }
    for (const RecordedMessage& message : call_.received) {
      writer_.block(ActionKind::recv, message);
    }
  } else {
    const std::vector<std::uint16_t> slots = start({.to = call_.sent, .from = call_.received});
    call_.waits.insert(call_.waits.end(), slots.begin(), slots.end());
  }
}

void RecordedRank::start_send(const trace::Event& event) {
  const RecordedMessage sent = message(event);
  count(sent);
  ActiveRequest& active = active_[event.request];
  if (!active.receive) {  // else it is the other half of MPI_Isendrecv
    // Slots of an earlier request with this number, which was freed.
    unwaited_sends_.insert(unwaited_sends_.end(), active.slots.begin(), active.slots.end());
    active.slots.clear();
  }
  active.slots.push_back(writer_.start(ActionKind::isend, sent));
}

void RecordedRank::end_request(std::uint32_t request) {
  const auto found = active_.find(request);
  if (found == active_.end()) {
    return;
  }
  const CallClass what = call_.name.meaning.what;
  const bool in_wait = what == CallClass::completion || what == CallClass::poll;
  std::vector<std::uint16_t>& to = in_wait ? call_.waits : unwaited_sends_;
  to.insert(to.end(), found->second.slots.begin(), found->second.slots.end());
  found->second.slots.clear();
  call_.ends_requests = call_.ends_requests || in_wait;
  if (!found->second.receive) {
    active_collectives_ -= found->second.is_collective ? 1 : 0;
    active_.erase(found);
  }
}

void RecordedRank::end_receive(const trace::Event& event) {
  const auto found = active_.find(event.request);
  if (found == active_.end() || !found->second.receive) {
    refuse("it ends a receive that has not begun");
  }
  writer_.close_receive(*found->second.receive, message(event));
  call_.waits.push_back(found->second.receive->slot);
  call_.ends_requests = true;
  found->second.receive.reset();
  if (found->second.slots.empty()) {
    active_.erase(found);
  }
}

void RecordedRank::cancel(std::uint32_t request) {
  const auto found = active_.find(request);
  if (found != active_.end() && found->second.receive) {
    writer_.cancel_receive(*found->second.receive);
    active_.erase(found);
  }
}

RecordedRank::CollectiveStart RecordedRank::neighbours(std::uint32_t comm) const {
  CollectiveStart result{.comm = comm};
  for (const trace::Event& block : call_.blocks) {
    auto& messages = block.kind == EventKind::block_to ? result.to : result.from;
    for (std::uint32_t i = 0; i < block.request; ++i) {
      messages.push_back({.peer = job_.comms.peer(comm, RankId{number_}, block.peer + i),
                          .tag = kNeighbourTag,
                          .comm = comm,
                          .bytes = static_cast<std::uint64_t>(block.value)});
    }
  }
  return result;
}

RecordedCollective RecordedRank::members_call(const trace::Event& event, std::uint32_t comm) const {
  RecordedCollective call{.meaning = call_.name.meaning,
                          .comm = comm,
                          .root = event.peer == UINT32_MAX ? 0 : event.peer,
                          .element = static_cast<std::uint32_t>(event.tag),
                          .out = static_cast<std::uint64_t>(event.value),
                          .in = static_cast<std::uint64_t>(event.more)};
  for (const trace::Event& block : call_.blocks) {
    auto& blocks = block.kind == EventKind::block_to ? call.out_blocks : call.in_blocks;
    const std::size_t members = job_.comms.all()[comm].group.size();
    if (block.peer > members || block.request > members - block.peer) {
      refuse("it has more blocks than members");
    }
    blocks.resize(std::max<std::size_t>(blocks.size(), block.peer + block.request));
    std::fill_n(blocks.begin() + block.peer, block.request, static_cast<std::uint64_t>(block.value));
  }
  return call;
}

void RecordedRank::collective(const trace::Event& event) {
  const std::uint32_t comm = find_comm(event.comm);
  if (!job_.comms.all()[comm].other.empty()) {
    refuse("collective calls between two groups cannot be replayed");
  }
  const CallMeaning& meaning = call_.name.meaning;
  if (meaning.neighbours) {
    call_.collective = neighbours(comm);
  } else if (meaning.collective) {
    call_.collective = CollectiveStart{.action = job_.collective(members_call(event, comm)), .comm = comm};
  } else {
    refuse("it is no collective call that can be replayed");
  }
  call_.blocks.clear();
}

std::vector<std::uint16_t> RecordedRank::start(const CollectiveStart& what) {
  std::vector<std::uint16_t> slots;
  if (what.action) {
    Action action = *what.action;
    action.request = writer_.take_slot();
    writer_.add(action);
    slots.push_back(action.request);
  }
  for (const RecordedMessage& message : what.from) {
    slots.push_back(writer_.start(ActionKind::irecv, message));
  }
  for (const RecordedMessage& message : what.to) {
    slots.push_back(writer_.start(ActionKind::isend, message));
  }
  return slots;
}

void RecordedRank::blocking_collective() {
  if (!call_.collective || call_.name.meaning.persistent) {
    return;
  }
  if (call_.collective->action) {
    return writer_.add(*call_.collective->action);
  }
  for (const RecordedMessage& message : call_.collective->to) {
    count(message);
  }
  const std::vector<std::uint16_t> slots = start(*call_.collective);
  call_.waits.insert(call_.waits.end(), slots.begin(), slots.end());
}

// A call without a collective event creates a communicator; its request then has no action.
void RecordedRank::start_collective(std::uint32_t request) {
  CollectiveStart what = call_.collective.value_or(CollectiveStart{});
  call_.collective.reset();
  if (!call_.name.meaning.persistent) {
    return activate(request, what);
  }
  if (what.action) {
    const std::uint32_t number = persistent_calls_[what.comm]++ % kPersistentNumbers + 1;
    what.action->detail = static_cast<std::uint8_t>(number);
  }
  persistent_[request] = std::move(what);
}

void RecordedRank::activate(std::uint32_t request, const CollectiveStart& what) {
  for (const RecordedMessage& message : what.to) {
    count(message);
  }
  active_[request] = {.slots = start(what), .is_collective = true};
  ++active_collectives_;
}

void RecordedRank::restart(std::uint32_t request) {
  const auto found = persistent_.find(request);
  if (found == persistent_.end()) {
    refuse("it starts a collective call that the recording does not have");
  }
  activate(request, found->second);
}

// The poll has found nothing, but it may have advanced nonblocking collective calls.
void RecordedRank::poll() {
  ++job_.counts.polls[call_.name.text];
  if (active_collectives_ != 0 && writer_.computed() > kSpinning) {
    writer_.add({.kind = ActionKind::wait});
  }
}

void RecordedRank::migrate(const trace::Event& event) {
  const bool may_move = (event.peer & trace::kMigratable) != 0;
  writer_.add({.kind = ActionKind::migrate,
               .detail = static_cast<std::uint8_t>((may_move ? kMayMove : 0) | (job_.recorded_loads ? kLoadListed : 0)),
               .value = static_cast<std::uint64_t>(event.more)});
  if (job_.recorded_loads) {
    writer_.value(static_cast<double>(event.value) * 1e-9);
  }
}

RecordedProgram RecordedRank::finish() {
  if (depth_ != 0 && !call_.name.text.ends_with("MPI_Finalize")) {
    throw WorkloadError(fmt::format("the recording of rank {} ends within {}", number_, call_.name.text));
  }
  return writer_.finish();
}

}  // namespace weft::sim

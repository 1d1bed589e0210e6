#include "sim/recorded_program.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace weft::sim {
namespace {

// Mark an action that finish() leaves out, and the channel of a receive whose message is not known.
constexpr ActionKind kLeftOut = ActionKind::stop;
constexpr std::uint32_t kOpen = UINT32_MAX;

RecordedChannel channel_of(ActionKind kind, const RecordedMessage& message) {
  const bool sends = kind == ActionKind::send || kind == ActionKind::isend;
  return {.end = sends ? ChannelEnd::sender : ChannelEnd::receiver,
          .peer = message.peer,
          .tag = message.tag,
          .comm = message.comm};
}

}  // namespace

// Each call begins with a compute action, however short, so that iterations have the same actions.
void RecordedProgramWriter::begin_call() {
  if (!std::exchange(in_call_, true)) {
    program_.actions.push_back({.kind = ActionKind::compute,
                                .detail = static_cast<std::uint8_t>(WorkDetail::listed),
                                .index = phase_,
                                .value = std::bit_cast<std::uint64_t>(1.0)});
    value(std::exchange(computed_, 0.0));
  }
}

void RecordedProgramWriter::phase(std::uint32_t phase) {
  if (phase != phase_) {
    add({.kind = ActionKind::phase, .index = phase});
    end_call();
    phase_ = phase;
  }
}

void RecordedProgramWriter::add(const Action& action) {
  begin_call();
  program_.actions.push_back(action);
}

std::uint32_t RecordedProgramWriter::channel(const RecordedChannel& channel) {
  const auto [at, is_new] = channels_.try_emplace(channel, static_cast<std::uint32_t>(program_.channels.size()));
  if (is_new) {
    program_.channels.push_back(channel);
  }
  return at->second;
}

void RecordedProgramWriter::add_message(ActionKind kind, const RecordedMessage& message, std::uint16_t slot) {
  add({.kind = kind, .request = slot, .index = channel(channel_of(kind, message)), .value = message.bytes});
}

std::uint16_t RecordedProgramWriter::start(ActionKind kind, const RecordedMessage& message) {
  const std::uint16_t slot = take_slot();
  add_message(kind, message, slot);
  return slot;
}

RecordedProgramWriter::OpenReceive RecordedProgramWriter::open_receive() {
  const std::uint16_t slot = take_slot();
  add({.kind = ActionKind::irecv, .request = slot, .index = kOpen});
  return {slot, program_.actions.size() - 1};
}

void RecordedProgramWriter::close_receive(const OpenReceive& receive, const RecordedMessage& message) {
  Action& action = program_.actions[receive.action];
  action.index = channel(channel_of(ActionKind::irecv, message));
  action.value = message.bytes;
}

void RecordedProgramWriter::cancel_receive(const OpenReceive& receive) {
  program_.actions[receive.action].kind = kLeftOut;
  free_.push(receive.slot);
}

std::uint16_t RecordedProgramWriter::take_slot() {
  if (free_.empty()) {
    if (program_.requests == UINT16_MAX) {
      throw WorkloadError("a rank has more than 65534 requests at once");
    }
    free_.push(static_cast<std::uint16_t>(program_.requests++));
  }
  const std::uint16_t slot = free_.top();
  free_.pop();
  return slot;
}

void RecordedProgramWriter::wait(std::vector<std::uint16_t> slots) {
  std::ranges::sort(slots);
  for (std::size_t i = 0, n = 0; i < slots.size(); i += n) {
    for (n = 1; i + n < slots.size() && slots[i + n] == slots[i] + n; ++n) {
    }
    add({.kind = ActionKind::wait, .request = slots[i], .index = static_cast<std::uint32_t>(n)});
  }
  for (const std::uint16_t slot : slots) {
    free_.push(slot);
  }
}

RecordedProgram RecordedProgramWriter::finish() {
  end_call();
  if (computed_ > 0.0) {
    begin_call();
  }
  std::erase_if(program_.actions, [](const Action& action) {
    return action.kind == kLeftOut || (action.kind == ActionKind::irecv && action.index == kOpen);
  });
  return std::move(program_);
}

}  // namespace weft::sim

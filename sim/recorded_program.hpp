// What a recorded rank has done as actions, before loops are found and channels are joined.
#pragma once

#include <cstdint>
#include <map>
#include <queue>
#include <vector>

#include "sim/actions.hpp"

namespace weft::sim {

// One end of a channel. `peer` is a rank of the job, `comm` a communicator of the recording.
struct RecordedChannel {
  ChannelEnd end = ChannelEnd::sender;
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  friend auto operator<=>(const RecordedChannel&, const RecordedChannel&) = default;
};

struct RecordedMessage {
  std::uint32_t peer = 0;
  std::int32_t tag = 0;
  std::uint32_t comm = 0;
  std::uint64_t bytes = 0;
};

struct RecordedProgram {
  std::vector<Action> actions;  // no loops and no stop; Action::index of a message is one of `channels`
  std::vector<RecordedChannel> channels;
  std::vector<float> values;
  std::uint32_t requests = 1;
};

class RecordedProgramWriter {
 public:
  // A receive of which it is not yet known what it gets.
  struct OpenReceive {
    std::uint16_t slot = 0;
    std::size_t action = 0;
  };

  // The rank has computed since its last call.
  void compute(Seconds seconds) { computed_ += seconds; }
  // Since its last action.
  [[nodiscard]] Seconds computed() const { return computed_; }
  // What comes from now on is of this phase; an action where it was another one before.
  void phase(std::uint32_t phase);
  // An action other than a message's. `value`: the next of the rank's list, where the action takes one.
  void add(const Action& action);
  void value(Seconds seconds) { program_.values.push_back(static_cast<float>(seconds)); }
  // send or recv
  void block(ActionKind kind, const RecordedMessage& message) { add_message(kind, message, kBlockingSlot); }
  // isend or irecv; returns the slot.
  std::uint16_t start(ActionKind kind, const RecordedMessage& message);
  OpenReceive open_receive();
  void close_receive(const OpenReceive& receive, const RecordedMessage& message);
  void cancel_receive(const OpenReceive& receive);
  std::uint16_t take_slot();
  // For all of these slots, which are free then.
  void wait(std::vector<std::uint16_t> slots);
  // The call is over: what comes next is computed after it.
  void end_call() { in_call_ = false; }
  // The rank has ended. Receives that are still open are left out.
  RecordedProgram finish();

 private:
  void begin_call();
  void add_message(ActionKind kind, const RecordedMessage& message, std::uint16_t slot);
  std::uint32_t channel(const RecordedChannel& channel);

  RecordedProgram program_;
  std::map<RecordedChannel, std::uint32_t> channels_;
  std::priority_queue<std::uint16_t, std::vector<std::uint16_t>, std::greater<>> free_;
  Seconds computed_ = 0.0;
  std::uint32_t phase_ = 0;
  bool in_call_ = false;  // the call has an action already
};

}  // namespace weft::sim

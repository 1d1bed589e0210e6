// The actions of a recorded rank, before loops are found and channels are assigned.
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
  // A receive whose message is not yet known.
  struct OpenReceive {
    std::uint16_t slot = 0;
    std::size_t action = 0;
  };

  // Adds computing since the rank's last call.
  void compute(Seconds seconds) { computed_ += seconds; }
  // Computing since the rank's last action.
  [[nodiscard]] Seconds computed() const { return computed_; }
  // Begins a phase; adds an action unless it is the current phase.
  void phase(std::uint32_t phase);
  // add(): an action that is not a message. value(): the next value of the rank's list, if the action takes one.
  void add(const Action& action);
  void value(Seconds seconds) { program_.values.push_back(static_cast<float>(seconds)); }
  // A blocking send or recv.
  void block(ActionKind kind, const RecordedMessage& message) { add_message(kind, message, kBlockingSlot); }
  // An isend or irecv. Returns its request slot.
  std::uint16_t start(ActionKind kind, const RecordedMessage& message);
  OpenReceive open_receive();
  void close_receive(const OpenReceive& receive, const RecordedMessage& message);
  void cancel_receive(const OpenReceive& receive);
  std::uint16_t take_slot();
  // Waits for these slots and frees them.
  void wait(std::vector<std::uint16_t> slots);
  // The call is over: later computing belongs to the next call.
  void end_call() { in_call_ = false; }
  // Ends the program. Leaves out receives that are still open.
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

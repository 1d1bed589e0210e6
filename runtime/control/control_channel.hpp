// Sends control messages to the processes of the job, and hands received ones to the part of the runtime that handles
// them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <type_traits>
#include <vector>

#include "runtime/control/cluster.hpp"
#include "runtime/control/control_handler.hpp"

namespace weft::runtime {
inline namespace control {

// Control messages from one process to another do not overtake each other, nor messages of ranks sent before.
class ControlChannel final : public ControlReceiver {
 public:
  explicit ControlChannel(Cluster& cluster);

  // Before any message for this part is sent or arrives. Borrowed.
  void set_handler(ControlPart part, ControlHandler& handler) { handlers_[static_cast<std::size_t>(part)] = &handler; }

  // Any thread. A message to this process itself is handled before the call returns; or, if the caller holds the lock
  // of the part that handles it, before that lock is released.
  template <typename Message>
  void send_control(ProcessId to, Message message) {
    if (to == cluster_.self()) {
      handler_of(Message::kKind).receive_from_self(std::move(message));
    } else if constexpr (RawControlMessage<Message>) {
      send(to, Message::kKind, message.bytes);
    } else {
      send(to, Message::kKind, pup::pack(message));
    }
  }
  // To this process last.
  template <typename Message>
  void send_control_to_all(Message message) {
    if (cluster_.process_count() > 1) {
      send_to_others(Message::kKind, pup::pack(message));
    }
    handler_of(Message::kKind).receive_from_self(std::move(message));
  }

  void receive_piece(ProcessId from, const WireHead& head, std::span<const std::byte> piece) override;

 private:
  struct Peer {
    std::mutex sending;           // keeps the pieces of one message together
    std::vector<std::byte> body;  // of a message that has come in part; touched by the polling thread only
  };

  void send(ProcessId to, ControlKind kind, std::span<const std::byte> body);
  void send_to_others(ControlKind kind, std::span<const std::byte> body);
  ControlHandler& handler_of(ControlKind kind) const;

  Cluster& cluster_;
  std::array<ControlHandler*, kControlParts> handlers_{};
  const std::unique_ptr<Peer[]> peers_;  // by process
};

}  // namespace control
}  // namespace weft::runtime

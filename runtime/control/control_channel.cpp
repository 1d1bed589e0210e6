#include "runtime/control/control_channel.hpp"

#include <algorithm>
#include <utility>

namespace weft::runtime {
inline namespace control {

ControlChannel::ControlChannel(Cluster& cluster)
    : cluster_(cluster), peers_(std::make_unique<Peer[]>(cluster.process_count())) {
  cluster.set_control_receiver(*this);
}

ControlHandler& ControlChannel::handler_of(ControlKind kind) const {
  ControlHandler* const handler = handlers_[static_cast<std::size_t>(info_of(kind).part)];
  base::check(handler != nullptr, "a control message for a part that this job does not have");
  return *handler;
}

void ControlChannel::send(ProcessId to, ControlKind kind, std::span<const std::byte> body) {
  if (info_of(kind).counted) {
    cluster_.count_sent();
  }
  WireHead head;
  head.kind = WireKind::control;
  head.control = static_cast<std::uint8_t>(kind);
  head.id = body.size();
  const std::lock_guard lock(peers_[number(to)].sending);
  do {
    const std::size_t piece = std::min(cluster_.longest_body(), body.size());
    cluster_.send(to, head, body.first(piece));
    body = body.subspan(piece);
  } while (!body.empty());
}

void ControlChannel::send_to_others(ControlKind kind, std::span<const std::byte> body) {
  for (std::uint32_t p = 0; p < cluster_.process_count(); ++p) {
    if (ProcessId{p} != cluster_.self()) {
      send(ProcessId{p}, kind, body);
    }
  }
}

void ControlChannel::receive_piece(ProcessId from, const WireHead& head, std::span<const std::byte> piece) {
  const auto kind = static_cast<ControlKind>(head.control);
  if (piece.size() == head.id) {
    handler_of(kind).receive(from, kind, ControlBody(piece));
  } else {
    std::vector<std::byte>& body = peers_[number(from)].body;
    body.insert(body.end(), piece.begin(), piece.end());
    if (body.size() < head.id) {
      return;
    }
    const std::vector<std::byte> whole = std::exchange(body, {});
    handler_of(kind).receive(from, kind, ControlBody(whole));
  }
  // After it has been handled: a thread that sees the count sees what the message did.
  if (info_of(kind).counted) {
    cluster_.count_received();
  }
}

}  // namespace control
}  // namespace weft::runtime

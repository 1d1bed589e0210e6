// The wire format of messages between processes: a head, which some kinds of message follow with a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pup/pup.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace p2p {

enum class WireKind : std::uint8_t {
  eager,            // a message to rank `to`; the body is its payload
  synchronous,      // the same; the sender waits for an acknowledgement that it has been matched
  rendezvous,       // a message whose payload is still at the sender; the body is a RemoteBuffer
  acknowledgement,  // to a sender: send `id` of rank `to` has been matched and read
  credit,           // gives credit back: the process that gets this may send `id` more bytes eagerly
  active,           // for the layer above, which acts on it at once: see UpperLayer::on_active_message()
  control,          // a piece of a control message: see ControlChannel
};

struct WireHead {
  std::uint32_t to = 0;
  WireKind kind = WireKind::eager;
  std::uint8_t control = 0;       // of a control message: its ControlKind
  std::uint16_t over_credit = 0;  // of a rendezvous: 1 if it would be eager, had there been credit
  MatchKey key;
  std::uint32_t from = 0;  // the sending rank
  std::uint64_t id = 0;    // the number of its send
};
static_assert(sizeof(WireHead) == 32);

}  // namespace p2p
}  // namespace weft::runtime

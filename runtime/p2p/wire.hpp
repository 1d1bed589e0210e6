// The wire format of messages between processes: a head, then for some kinds a body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "pup/pup.hpp"
#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace p2p {

enum class WireKind : std::uint8_t {
  eager,         // a message to rank `to`; the body is its payload
  acknowledged,  // the same, and the sender waits for an answer that it has been matched
  announced,     // a message whose payload waits at the sender; the body is a RemoteBuffer
  finished,      // to a sender: send `id` of rank `to` is matched and read
  credit,        // `id` bytes of the receiver's eager messages to this process have been consumed
  active,        // for the layer above, which acts on it at once: see UpperLayer::active()
  control,       // a piece of a control message: see ControlChannel
};

struct WireHead {
  std::uint32_t to = 0;
  WireKind kind = WireKind::eager;
  std::uint8_t control = 0;       // which, in WireKind::control
  std::uint16_t over_credit = 0;  // of an announced one: short, but there was no credit, and its sender wants to go on
  MatchKey key;
  std::uint32_t from = 0;  // the sending rank
  std::uint64_t id = 0;    // its number of the send
};
static_assert(sizeof(WireHead) == 32);

}  // namespace p2p
}  // namespace weft::runtime

// A message on its way, or waiting at its receiver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "runtime/message/request.hpp"

namespace weft::runtime {

// The payload lies in the envelope (eager) or still in the sender's buffer (rendezvous). What a short message needs is
// in the first cache line, so that only that line travels between workers. Owned by the receiver's worker once pushed;
// memory comes from EnvelopePool.
struct Envelope : InboxItem {
  static constexpr std::size_t kShort = 8;  // payloads up to this many bytes lie in `short_payload`, longer ones behind

  // Mailbox's own: one chain per kind of pattern that a receive may have (see mailbox.hpp).
  struct Link {
    Envelope* next;
    Envelope* previous;
  };

  Rank* to = nullptr;
  Request* sender = nullptr;  // told when the message is matched; its buffer is the payload of a rendezvous
  MatchKey key;
  std::uint32_t payload_bytes = 0;  // bytes in the envelope; 0 in a rendezvous
  std::uint32_t home = 0;           // the worker whose pool it came from
  std::uint8_t size_class = 0;      // EnvelopePool's own
  bool rendezvous = false;
  alignas(8) std::array<std::byte, kShort> short_payload;

  Link links[4] = {};
  std::uint64_t sequence = 0;

  std::uint64_t bytes() const { return rendezvous ? sender->buffer.bytes : payload_bytes; }  // of the message
  std::byte* payload() {
    return payload_bytes <= kShort ? short_payload.data() : reinterpret_cast<std::byte*>(this + 1);
  }
};
static_assert(sizeof(Envelope) == 64 + sizeof(Envelope::links) + sizeof(Envelope::sequence));

}  // namespace weft::runtime

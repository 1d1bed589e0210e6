// A message on its way, or waiting at its receiver.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/message/request.hpp"

namespace weft::runtime {

// The payload follows the envelope (eager) or still lies in the sender's buffer (rendezvous).
// Owned by the receiver's worker once pushed; memory comes from EnvelopePool.
struct Envelope : InboxItem {
  // Mailbox's own: one chain per kind of pattern that a receive may have (see mailbox.hpp).
  struct Link {
    Envelope* next;
    Envelope* previous;
  };

  Rank* to = nullptr;
  MatchKey key;
  std::uint32_t payload_bytes = 0;  // bytes behind the envelope; 0 in a rendezvous
  std::uint64_t bytes = 0;          // bytes of the message
  Request* sender = nullptr;        // told when the message is matched; its buffer is the payload of a rendezvous
  bool rendezvous = false;
  std::uint8_t size_class = 0;  // EnvelopePool's own
  std::uint32_t home = 0;       // the worker whose pool it came from
  std::uint64_t sequence = 0;
  Link links[4] = {};

  std::byte* payload() { return reinterpret_cast<std::byte*>(this + 1); }
};

}  // namespace weft::runtime

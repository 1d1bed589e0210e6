// A message on its way, or waiting at its receiver.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "runtime/p2p/request.hpp"

namespace weft::runtime {
inline namespace p2p {

// Packed bytes in the memory of the process where a sending rank lives.
struct RemoteBuffer {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

// The payload lies in the envelope (eager) or still in the sender's buffer (rendezvous). All of a short message is in
// the first cache line, so that only that line travels between workers; longer payloads begin a new line. Owned by the
// receiver's worker once pushed; memory comes from EnvelopePool.
struct alignas(InboxItem::kLine) Envelope : InboxItem {
  static constexpr std::size_t kShort = 8;  // payloads up to this many bytes lie in `short_payload`, longer ones behind

  // Used by Mailbox: one chain per kind of pattern that a receive may have (see mailbox.hpp).
  struct Link {
    Envelope* next;
    Envelope* previous;
  };

  std::uint32_t payload_bytes = 0;  // bytes in the envelope; 0 in a rendezvous
  Endpoint* to = nullptr;
  Request* sender = nullptr;  // completed when the message is matched; its buffer is the payload of a rendezvous
  MatchKey key;
  std::uint16_t home = 0;       // the worker whose pool it came from; the number of workers: Remote::pool()
  std::uint8_t size_class = 0;  // used by EnvelopePool
  bool rendezvous : 1 = false;
  bool remote_sender : 1 = false;  // the sender is given by numbers: rank `sender_rank`, send `sender_id`
  bool is_from_other_process : 1 = false;
  bool over_credit : 1 = false;  // a rendezvous only because the sender's process had no more credit (fetched.hpp)
  bool fetched : 1 = false;      // the payload has come or is coming: remote_buffer() refers to a Fetched (fetched.cpp)
  alignas(8) std::array<std::byte, kShort> short_payload;

  Link links[4] = {};
  std::uint64_t sequence = 0;

  // The first two where remote_sender is set, the third where is_from_other_process is.
  std::uint64_t sender_id = 0;
  std::uint32_t sender_rank = 0;
  std::uint32_t origin = 0;  // the process that it came from, which gets its credit back

  std::uint64_t bytes() const {  // of the message
    return !rendezvous ? payload_bytes : remote_sender ? remote_buffer().bytes : sender->buffer.bytes;
  }
  // Of a rendezvous with a remote sender: where the payload is, which the envelope holds in its place.
  RemoteBuffer remote_buffer() const {
    RemoteBuffer buffer;
    std::memcpy(&buffer, payload(), sizeof buffer);
    return buffer;
  }
  std::byte* payload() { return const_cast<std::byte*>(std::as_const(*this).payload()); }
  const std::byte* payload() const {
    return payload_bytes <= kShort ? short_payload.data() : reinterpret_cast<const std::byte*>(this + 1);
  }
};
static_assert(sizeof(Envelope) == InboxItem::kPayloadAt);

}  // namespace p2p
}  // namespace weft::runtime

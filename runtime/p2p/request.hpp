// One pending send or receive of a rank.
#pragma once

#include <cstdint>

#include "runtime/p2p/buffer.hpp"
#include "runtime/sched/inbox.hpp"

namespace weft::runtime {
inline namespace sched {
struct ExecutionContext;
}  // namespace sched

inline namespace p2p {

struct Envelope;
class Endpoint;

inline constexpr std::int32_t kAnySource = -1;
inline constexpr std::int32_t kAnyTag = -2;

// What matching compares. In a receive, source and tag may be wildcards.
struct MatchKey {
  std::uint32_t context = 0;  // one number per communicator and kind of traffic
  std::int32_t source = 0;    // the sender's number in the communicator
  std::int32_t tag = 0;
  bool operator==(const MatchKey&) const = default;
};

inline bool matches(const MatchKey& pattern, const MatchKey& message) {
  return pattern.context == message.context && (pattern.source == kAnySource || pattern.source == message.source) &&
         (pattern.tag == kAnyTag || pattern.tag == message.tag);
}

// Why a request has ended without its message, in a job with --survive api.
enum class Failure : std::uint8_t {
  none,
  process_failed,  // the peer has died; in a collective call: any member has
  revoked,         // the communicator is revoked
  any_source       // a receive from any source, one of which has died: the program may go on with it
};
// What UpperLayer::message_failure() gets as its number of notices to mean all of them.
inline constexpr std::uint32_t kAllNotices = UINT32_MAX;

// A posted receive or a send that is not complete. The caller owns it (on a stack, in a table) and keeps it in place
// until it is done or cancelled. Touched by the owner's worker only, except a send that the receiver's worker
// completes: that worker reads `owner` and `buffer`, and writes `failure` and `completion`.
struct Request {
  enum class Kind : std::uint8_t { none, send, receive };

  Endpoint* owner = nullptr;
  ExecutionContext* waiter = nullptr;  // the owner's context that is parked until it is done
  Kind kind = Kind::none;
  bool done = true;
  bool wakes_waiter = false;  // see wake_waiter_at_end()
  bool truncated = false;     // the message was longer than the buffer
  bool cancelled = false;
  Failure failure = Failure::none;
  bool reading = false;  // receive: matched, and its payload is on the way from another process
  Buffer buffer;
  MatchKey key;             // receive: the pattern, then what matched. send: what was sent
  std::int32_t peer = -1;   // send: the receiver's number in the communicator, for reports
  std::uint64_t bytes = 0;  // bytes received, at most buffer.bytes
  std::uint64_t sent = 0;   // receive: bytes the sender sent (> bytes when truncated)

  // Used by Mailbox: the chain of posted receives.
  Request* next = nullptr;
  Request* previous = nullptr;
  std::uint64_t sequence = 0;

  // Of a send. `message`: the envelope that refers to it by address, valid until it is matched; null when there is
  // none. `id`: the number by which its message refers to it instead, if it is a registered send
  // (Endpoint::registered_sends); else 0.
  Envelope* message = nullptr;
  std::uint64_t id = 0;

  // Begins every send, receive and event: resets what an earlier use has left.
  void reset(Endpoint& its_owner, Kind its_kind, const MatchKey& its_key, const Buffer& its_buffer) {
    owner = &its_owner;
    waiter = nullptr;
    kind = its_kind;
    done = false;
    wakes_waiter = false;
    truncated = false;
    cancelled = false;
    failure = Failure::none;
    reading = false;
    buffer = its_buffer;
    key = its_key;
    message = nullptr;
    id = 0;
  }

  // Before start_send(): `sender` sends `data`. `its_key.source` is the sender's rank in the communicator, `receiver`
  // the receiver's, for reports.
  void prepare_send(Endpoint& sender, const MatchKey& its_key, std::int32_t receiver, const Buffer& data) {
    reset(sender, Kind::send, its_key, data);
    peer = receiver;
  }

  OwnedItem<Request> completion;  // pushed to the owner's worker when another worker completes the request
};

}  // namespace p2p
}  // namespace weft::runtime

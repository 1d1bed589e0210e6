#include "runtime/p2p/packing.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/p2p/remote.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

// Makes a message refer to its send by number instead of by address.
void register_sender(Envelope& message) {
  Request& send = *message.sender;
  Endpoint& owner = *send.owner;
  send.id = ++owner.last_send_id;
  RegisteredSend& registered = owner.registered_sends[send.id];
  registered.request = &send;
  if (message.rendezvous) {
    RemoteBuffer there{reinterpret_cast<std::uint64_t>(send.buffer.base), send.buffer.bytes};
    if (send.buffer.layout != nullptr) {
      registered.packed.resize(send.buffer.bytes);
      pack(send.buffer, registered.packed);
      there.address = reinterpret_cast<std::uint64_t>(registered.packed.data());
    }
    message.payload_bytes = sizeof there;
    std::memcpy(message.payload(), &there, sizeof there);
  }
  message.sender_rank = number(owner.id);
  message.sender_id = send.id;
  message.remote_sender = true;
  message.sender = nullptr;
  send.message = nullptr;
}

void pup_pending_send(pup::Puper& p, Endpoint& owner, Request& send) {
  if (!p.unpacking() && send.message != nullptr) {
    register_sender(*send.message);
  }
  base::check(p.unpacking() || send.id != 0, "a pending send without a message is packed");
  p | send.id;
  if (p.packing()) {
    owner.registered_sends.erase(send.id);
  } else if (p.unpacking()) {
    owner.registered_sends[send.id].request = &send;
  }
}

void pup_posted_receive(pup::Puper& p, Endpoint& owner, Request& receive) {
  p | receive.sequence;
  if (p.packing()) {
    owner.mailbox.withdraw(receive);
  } else if (p.unpacking()) {
    owner.mailbox.post_again(receive);
  }
}

// What a migration image has of a message, besides its payload.
struct Heading {
  MatchKey key;
  std::uint32_t payload_bytes = 0;
  bool rendezvous = false;
  bool remote_sender = false;  // the sender waits for an acknowledgement:
  std::uint32_t sender = 0;    // its rank
  std::uint64_t send_id = 0;   // and the number of its send
  void pup(pup::Puper& p) { p | key | payload_bytes | rendezvous | remote_sender | sender | send_id; }
};

Heading heading_of(Envelope& message) {
  if (message.sender != nullptr) {
    register_sender(message);
  }
  if (message.fetched) {  // becomes eager
    return {.key = message.key, .payload_bytes = static_cast<std::uint32_t>(message.bytes())};
  }
  return {.key = message.key,
          .payload_bytes = message.payload_bytes,
          .rendezvous = message.rendezvous,
          .remote_sender = message.remote_sender,
          .sender = message.sender_rank,
          .send_id = message.sender_id};
}

Envelope& unpacked_envelope(Endpoint& owner, const Heading& heading) {
  Envelope& message = owner.remote.pool().allocate(heading.payload_bytes);
  message.deliver = &deliver_message;
  message.to = &owner;
  message.sender = nullptr;
  message.key = heading.key;
  message.payload_bytes = heading.payload_bytes;
  message.rendezvous = heading.rendezvous;
  message.remote_sender = heading.remote_sender;
  message.sender_rank = heading.sender;
  message.sender_id = heading.send_id;
  message.is_from_other_process = false;
  message.over_credit = false;
  message.fetched = false;
  return message;
}

std::vector<Envelope*> unexpected_in_order(const Mailbox& mailbox) {
  std::vector<Envelope*> messages;
  messages.reserve(mailbox.unexpected());
  mailbox.for_each_unexpected([&](Envelope& message) { messages.push_back(&message); });
  std::sort(messages.begin(), messages.end(), [](auto* a, auto* b) { return a->sequence < b->sequence; });
  return messages;
}

}  // namespace

void pup_request(pup::Puper& p, Endpoint& owner, Request& request) {
  base::check(p.unpacking() || request.waiter == nullptr, "a request is packed while its rank waits for it");
  if (p.unpacking()) {
    request.reset(owner, Request::Kind::none, {}, {});
  }
  p | request.kind | request.done | request.truncated | request.cancelled;
  pup::same_address(p, request.buffer.base);
  p | request.buffer.bytes | request.buffer.count | request.key | request.peer | request.bytes | request.sent;
  if (request.done) {
    return;
  }
  if (request.kind == Request::Kind::send) {
    pup_pending_send(p, owner, request);
  } else {
    pup_posted_receive(p, owner, request);
  }
}

void pup_message(pup::Puper& p, Endpoint& owner, Envelope*& message) {
  bool present = message != nullptr;
  p | present;
  if (!present) {
    message = nullptr;
    return;
  }
  Heading heading = p.unpacking() ? Heading{} : heading_of(*message);
  p | heading;
  if (p.unpacking()) {
    message = &unpacked_envelope(owner, heading);
  }
  p.bytes({message->fetched ? fetched_payload(*message).data() : message->payload(), heading.payload_bytes});
  if (p.packing()) {
    end_envelope(owner.remote, owner.remote.pool(), *message);
    message = nullptr;
  }
}

void pup_unexpected(pup::Puper& p, Endpoint& owner) {
  std::vector<Envelope*> messages = unexpected_in_order(owner.mailbox);
  std::uint64_t count = messages.size();
  p | count;
  messages.resize(count);
  for (Envelope*& message : messages) {
    if (p.packing()) {
      owner.mailbox.remove(*message);
    }
    pup_message(p, owner, message);
    if (p.unpacking()) {
      owner.mailbox.add(*message);
    }
  }
}

}  // namespace p2p
}  // namespace weft::runtime

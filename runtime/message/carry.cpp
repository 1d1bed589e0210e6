#include "runtime/message/carry.hpp"

#include <algorithm>
#include <cstring>

#include "base/check.hpp"
#include "runtime/cluster/cluster.hpp"
#include "runtime/cluster/remote.hpp"
#include "runtime/job/job.hpp"
#include "runtime/message/envelope.hpp"
#include "runtime/message/point_to_point.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {
namespace {

// A job of several processes packs on its main thread, which holds the cluster's pool meanwhile.
EnvelopePool& pool_here(const Job& job) {
  Worker* const worker = Worker::current();
  return worker != nullptr ? worker->pool() : job.cluster()->pool();
}

// Gives a pending send a number, unless it has one.
NamedSend& name(Request& send) {
  Rank& owner = *send.owner;
  if (send.id == 0) {
    send.id = ++owner.last_send_id;
    owner.named_sends[send.id] = {&send, send.message, {}};
  }
  return owner.named_sends.at(send.id);
}

// Both ends of a named send that are here know each other.
void join(NamedSend& named) {
  if (named.request != nullptr && named.message != nullptr) {
    named.request->message = named.message;
    named.message->sender = named.request;
  }
}

// In a job of several processes a message names its sender by number as soon as one of the two moves.
void make_far(Envelope& message) {
  Request& send = *message.sender;
  NamedSend& named = name(send);
  named.message = nullptr;
  if (message.rendezvous) {
    FarBuffer far{reinterpret_cast<std::uint64_t>(send.buffer.base), send.buffer.bytes};
    if (send.buffer.layout != nullptr) {
      named.packed.resize(send.buffer.bytes);
      pack(send.buffer, named.packed);
      far.address = reinterpret_cast<std::uint64_t>(named.packed.data());
    }
    message.payload_bytes = sizeof far;
    std::memcpy(message.payload(), &far, sizeof far);
  }
  message.sender_rank = number(send.owner->id);
  message.sender_id = send.id;
  message.far = true;
  message.sender = nullptr;
  send.message = nullptr;
}

void pup_pending_send(pup::Puper& p, Rank& owner, Request& send) {
  if (!p.unpacking()) {
    base::check(send.message != nullptr || send.id != 0, "a pending send without a message is packed");
    if (owner.job.cluster() != nullptr && send.message != nullptr) {
      make_far(*send.message);
    }
    name(send);
  }
  p | send.id;
  if (p.packing()) {
    if (send.message == nullptr) {
      owner.named_sends.erase(send.id);
    } else {
      owner.named_sends.at(send.id).request = nullptr;
    }
  } else if (p.unpacking()) {
    NamedSend& named = owner.named_sends[send.id];
    named.request = &send;
    join(named);
  }
}

void pup_posted_receive(pup::Puper& p, Rank& owner, Request& receive) {
  p | receive.sequence;
  if (p.packing()) {
    owner.mailbox.withdraw(receive);
  } else if (p.unpacking()) {
    owner.mailbox.post_again(receive);
  }
}

// What an image says of a message before its payload.
struct Heading {
  MatchKey key;
  std::uint32_t payload_bytes = 0;
  bool rendezvous = false;
  std::uint32_t sender = 0;   // a rank's number, where there is
  std::uint64_t send_id = 0;  // one who waits to be told; else 0
  bool far = false;
  void pup(pup::Puper& p) { p | key | payload_bytes | rendezvous | sender | send_id | far; }
};

Heading heading_of(const Envelope& message) {
  Heading heading{message.key, message.payload_bytes, message.rendezvous};
  if (message.far) {
    heading.sender = message.sender_rank;
    heading.send_id = message.sender_id;
    heading.far = true;
  }
  if (Request* const send = message.sender; send != nullptr) {
    name(*send);
    heading.sender = number(send->owner->id);
    heading.send_id = send->id;
  }
  return heading;
}

Envelope& unpacked_envelope(Rank& owner, const Heading& heading) {
  Envelope& message = pool_here(owner.job).take(heading.payload_bytes);
  message.deliver = &deliver_message;
  message.to = &owner;
  message.sender = nullptr;
  message.key = heading.key;
  message.payload_bytes = heading.payload_bytes;
  message.rendezvous = heading.rendezvous;
  message.far = heading.far;
  message.sender_rank = heading.sender;
  message.sender_id = heading.send_id;
  message.origin = Envelope::kHere;
  if (heading.send_id != 0 && !heading.far) {
    NamedSend& named = owner.job.rank(heading.sender).named_sends[heading.send_id];
    named.message = &message;
    join(named);
  }
  return message;
}

void end_packed(Rank& owner, Envelope& message, const Heading& heading) {
  if (heading.send_id != 0 && !heading.far) {
    owner.job.rank(heading.sender).named_sends.at(heading.send_id).message = nullptr;
  }
  end_envelope(owner.job, pool_here(owner.job), message);
}

std::vector<Envelope*> unexpected_in_order(const Mailbox& mailbox) {
  std::vector<Envelope*> messages;
  messages.reserve(mailbox.unexpected());
  mailbox.for_each_unexpected([&](Envelope& message) { messages.push_back(&message); });
  std::sort(messages.begin(), messages.end(), [](auto* a, auto* b) { return a->sequence < b->sequence; });
  return messages;
}

}  // namespace

void pup_request(pup::Puper& p, Rank& owner, Request& request) {
  base::check(p.unpacking() || !request.counted, "a request is packed while its rank waits for it");
  p | request.kind | request.done | request.truncated | request.cancelled;
  pup::same_address(p, request.buffer.base);
  p | request.buffer.bytes | request.buffer.count | request.key | request.peer | request.bytes | request.sent;
  if (p.unpacking()) {
    request.owner = &owner;
    request.counted = false;
    request.buffer.layout = nullptr;
    request.message = nullptr;
    request.id = 0;
  }
  if (request.done) {
    return;
  }
  if (request.kind == Request::Kind::send) {
    pup_pending_send(p, owner, request);
  } else {
    pup_posted_receive(p, owner, request);
  }
}

void pup_message(pup::Puper& p, Rank& owner, Envelope*& message) {
  bool present = message != nullptr;
  p | present;
  if (!present) {
    message = nullptr;
    return;
  }
  if (!p.unpacking() && message->sender != nullptr && owner.job.cluster() != nullptr) {
    make_far(*message);
  }
  Heading heading = p.unpacking() ? Heading{} : heading_of(*message);
  p | heading;
  if (p.unpacking()) {
    message = &unpacked_envelope(owner, heading);
  }
  p.bytes({message->payload(), heading.payload_bytes});
  if (p.packing()) {
    end_packed(owner, *message, heading);
    message = nullptr;
  }
}

void pup_unexpected(pup::Puper& p, Rank& owner) {
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

}  // namespace weft::runtime

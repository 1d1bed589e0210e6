#include "runtime/p2p/remote.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/p2p/message_worker.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

// The payload as contiguous bytes: in the buffer itself, or packed into `storage`.
std::span<const std::byte> packed(const Buffer& buffer, std::vector<std::byte>& storage) {
  if (buffer.layout == nullptr) {
    return {static_cast<const std::byte*>(buffer.base), buffer.bytes};
  }
  storage.resize(buffer.bytes);
  pack(buffer, storage);
  return storage;
}

RegisteredSend& register_send(Endpoint& me, Request& send) {
  send.id = ++me.last_send_id;
  RegisteredSend& registered = me.registered_sends[send.id];
  registered.request = &send;
  return registered;
}

// The read of a rendezvous message's payload into a receive.
struct RendezvousRead : InboxItem, net::Read {
  Request* receive = nullptr;
  Envelope* message = nullptr;
  std::vector<std::byte> packed;  // when the receive's buffer is not contiguous
};

void end_read(Worker& here, InboxItem& item) {
  std::unique_ptr<RendezvousRead> read(&static_cast<RendezvousRead&>(item));
  Endpoint& owner = *read->receive->owner;
  // Pairs with arrive_at_worker().
  if (Worker& home = *owner.worker.load(std::memory_order_acquire); &home != &here) {
    home.inbox().push(*read.release());
    return;
  }
  MessageWorker& worker = MessageWorker::of(here);
  Request& receive = *read->receive;
  if (read->lost) [[unlikely]] {
    receive.failure = Failure::process_failed;
  } else if (receive.buffer.layout != nullptr) {
    unpack(read->packed, receive.buffer);
  }
  Remote& remote = owner.remote;
  notify_sender(remote, read->message->sender_rank, read->message->sender_id);
  end_envelope(remote, worker.pool(), *read->message);
  receive.reading = false;
  finish(worker, receive);
  remote.end_read();
}

void start_read(Remote& remote, Envelope& message, Request& receive) {
  const RemoteBuffer there = message.remote_buffer();
  auto read = std::make_unique<RendezvousRead>();
  read->receive = &receive;
  read->message = &message;
  read->deliver = &end_read;
  const std::size_t bytes = receive.bytes;
  if (receive.buffer.layout != nullptr) {
    read->packed.resize(bytes);
    read->into = read->packed;
  } else {
    read->into = {static_cast<std::byte*>(receive.buffer.base), bytes};
  }
  read->from = remote.endpoint(message.sender_rank).process;
  read->address = reinterpret_cast<const void*>(there.address);
  read->finished = [](net::Read& ended) {
    auto& done = static_cast<RendezvousRead&>(ended);
    // Pairs with arrive_at_worker(): that worker knows the rank.
    done.receive->owner->worker.load(std::memory_order_acquire)->inbox().push(done);
  };
  receive.reading = true;
  remote.begin_read();
  RendezvousRead& under_way = *read.release();
  if (under_way.from == remote.self() || bytes == 0) {
    if (bytes != 0) {
      std::memcpy(under_way.into.data(), under_way.address, bytes);
    }
    under_way.finished(under_way);
  } else {
    remote.read(under_way);
  }
}

// Tells the sender's worker that a send has been matched and read.
struct Acknowledgement : InboxItem {
  Endpoint* sender = nullptr;
  std::uint64_t id = 0;
};

void deliver_acknowledgement(Worker& worker, InboxItem& item) {
  auto& acknowledgement = static_cast<Acknowledgement&>(item);
  // Pairs with arrive_at_worker().
  if (Worker& home = *acknowledgement.sender->worker.load(std::memory_order_acquire); &home != &worker) {
    home.inbox().push(item);
    return;
  }
  const std::unique_ptr<Acknowledgement> owned(&acknowledgement);
  auto& sends = acknowledgement.sender->registered_sends;
  if (const auto send = sends.find(acknowledgement.id); send != sends.end()) [[likely]] {
    finish(worker, *send->second.request);
  } else {
    base::check(acknowledgement.sender->remote.loses_processes, "an acknowledgement for an unknown send");
  }
}

}  // namespace

void notify_sender(Remote& remote, std::uint32_t sender, std::uint64_t id) {
  Endpoint& endpoint = remote.endpoint(sender);
  if (endpoint.process == remote.self()) {
    finish_send(endpoint, id);
  } else {
    WireHead head;
    head.to = sender;
    head.kind = WireKind::acknowledgement;
    head.id = id;
    remote.send(endpoint.process, head);
  }
}

std::size_t eager_cost(std::size_t payload) { return payload + sizeof(Envelope); }

void end_envelope(Remote& remote, EnvelopePool& here, Envelope& message) {
  if (message.fetched) {
    drop_fetched(remote, message);
  } else if (message.is_from_other_process && !message.rendezvous) {
    remote.return_credit(ProcessId{message.origin}, eager_cost(message.payload_bytes));
  }
  here.release(message, remote.home_of(message));
}

void send_remote(Endpoint& me, Endpoint& to, SendMode mode, Request& request) {
  Remote& remote = me.remote;
  MessageWorker& here = MessageWorker::of(*me.worker.load(std::memory_order_relaxed));
  const ProcessId process = to.process;
  const Buffer& buffer = request.buffer;
  if (remote.loses_processes && remote.is_lost(process)) [[unlikely]] {
    request.done = true;
    request.message = nullptr;
    request.failure = Failure::process_failed;
    return;
  }
  WireHead head;
  head.to = number(to.id);
  head.key = request.key;
  head.from = number(me.id);
  const bool is_short = buffer.bytes <= here.eager_bytes() && buffer.bytes <= remote.longest_body();
  const bool eager = is_short && remote.take_credit(here, process, eager_cost(buffer.bytes));
  request.done = eager && mode == SendMode::standard;
  request.message = nullptr;
  std::vector<std::byte> storage;
  if (request.done) {
    remote.send(process, head, packed(buffer, storage));
    return;
  }
  if (buffer.layout != nullptr) {
    ++me.noncontiguous_sends;
  }
  RegisteredSend& registered = register_send(me, request);
  registered.to = process;
  head.id = request.id;
  if (eager) {
    head.kind = WireKind::synchronous;
    remote.send(process, head, packed(buffer, storage));
    return;
  }
  const std::span<const std::byte> payload = packed(buffer, registered.packed);
  const RemoteBuffer there{reinterpret_cast<std::uint64_t>(payload.data()), payload.size()};
  head.kind = WireKind::rendezvous;
  registered.over_credit = is_short && mode == SendMode::standard;
  head.over_credit = registered.over_credit ? 1 : 0;
  remote.send(process, head, std::as_bytes(std::span(&there, 1)));
}

bool receive_at_once(MessageWorker& worker, const WireHead& head, std::span<const std::byte> body) {
  Endpoint& to = worker.remote().endpoint(head.to);
  if (head.kind != WireKind::eager || to.worker.load(std::memory_order_relaxed) != &worker || !worker.inbox().empty()) {
    return false;
  }
  Request* const receive = to.mailbox.take_receive(head.key);
  if (receive == nullptr) {
    return false;
  }
  note_match(*receive, head.key, body.size());
  if (!body.empty()) {
    unpack(body, receive->buffer);
  }
  finish(worker, *receive);
  return true;
}

void deliver_remote(Endpoint& to, Envelope& message, const WireHead& head, std::span<const std::byte> body,
                    ProcessId from) {
  message.deliver = &deliver_message;
  message.to = &to;
  message.key = head.key;
  message.sender = nullptr;
  message.payload_bytes = static_cast<std::uint32_t>(body.size());
  message.rendezvous = head.kind == WireKind::rendezvous;
  message.remote_sender = head.kind != WireKind::eager;
  message.over_credit = message.rendezvous && head.over_credit != 0;
  message.fetched = false;
  message.sender_rank = head.from;
  message.sender_id = head.id;
  message.is_from_other_process = true;
  message.origin = number(from);
  if (!body.empty()) {
    std::memcpy(message.payload(), body.data(), body.size());
  }
  // Pairs with arrive_at_worker().
  Worker* const worker = to.worker.load(std::memory_order_acquire);
  base::check(worker != nullptr, "a message came for a rank that does not live here");
  worker->inbox().push(message);
}

void finish_send(Endpoint& sender, std::uint64_t id) {
  auto acknowledgement = std::make_unique<Acknowledgement>();
  acknowledgement->deliver = &deliver_acknowledgement;
  acknowledgement->sender = &sender;
  acknowledgement->id = id;
  // Pairs with arrive_at_worker().
  Worker* const worker = sender.worker.load(std::memory_order_acquire);
  base::check(worker != nullptr, "an acknowledgement came for a rank that does not live here");
  worker->inbox().push(*acknowledgement.release());
}

bool fill_from_remote(MessageWorker& worker, Envelope& message, Request& receive) {
  if (message.fetched) {
    return fill_from_fetched(worker, message, receive);
  }
  if (message.rendezvous) {
    start_read(worker.remote(), message, receive);
    return false;
  }
  if (message.payload_bytes != 0) {
    unpack({message.payload(), message.payload_bytes}, receive.buffer);
  }
  if (message.remote_sender) {
    notify_sender(worker.remote(), message.sender_rank, message.sender_id);
  }
  end_envelope(worker.remote(), worker.pool(), message);
  return true;
}

}  // namespace p2p
}  // namespace weft::runtime

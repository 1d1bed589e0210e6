#include "runtime/message/point_to_point.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "runtime/cluster/remote.hpp"
#include "runtime/job/job.hpp"
#include "runtime/message/envelope.hpp"
#include "runtime/worker/sharing.hpp"
#include "runtime/worker/worker.hpp"

namespace weft::runtime {

void finish(Worker& worker, Request& request) {
  request.done = true;
  Rank& owner = *request.owner;
  if (request.buffer.layout != nullptr && request.kind == Request::Kind::send) {
    --owner.sends_with_gaps;
  }
  if (request.id != 0) [[unlikely]] {
    owner.named_sends.erase(std::exchange(request.id, 0U));
  }
  if (request.counted) {
    request.counted = false;
    if (owner.waiting_for > 0 && --owner.waiting_for == 0) {
      worker.make_ready(owner);
    }
  }
}

void note_match(Request& receive, const MatchKey& key, std::uint64_t bytes) {
  receive.key = key;
  receive.sent = bytes;
  receive.bytes = std::min<std::uint64_t>(bytes, receive.buffer.bytes);
  receive.truncated = bytes > receive.buffer.bytes;
}

namespace {

void deliver_completion(Worker& worker, InboxItem& item) {
  Request& request = *static_cast<OwnedItem<Request>&>(item).owner;
  Worker& home = *request.owner->worker.load(std::memory_order_acquire);
  if (&home != &worker) {
    home.inbox().push(item);  // its owner has moved meanwhile
    return;
  }
  finish(worker, request);
}

// On any worker; the request may be gone right after.
void finish_anywhere(Worker& worker, Request& request) {
  Worker& home = *request.owner->worker.load(std::memory_order_acquire);
  if (&home == &worker) {
    finish(worker, request);
    return;
  }
  request.completion.deliver = &deliver_completion;
  request.completion.owner = &request;
  home.inbox().push(request.completion);
}

// Moves the payload to a receive on this worker, tells the sender, ends the envelope. Does not finish the receive.
// False when the payload is on its way from another process: then somebody else will.
bool fill(Worker& worker, Envelope& message, Request& receive) {
  note_match(receive, message.key, message.bytes());
  if (message.far || message.origin != Envelope::kHere) [[unlikely]] {
    return fill_from_afar(worker, message, receive);
  }
  if (message.rendezvous) {
    transfer(message.sender->buffer, receive.buffer);
  } else if (message.payload_bytes != 0) {
    unpack({message.payload(), message.payload_bytes}, receive.buffer);
  }
  if (message.sender != nullptr) {
    finish_anywhere(worker, *message.sender);
  }
  worker.pool().give(message, worker.pool_of(message.home));
  return true;
}

// A message for a rank of this worker.
void arrive(Worker& worker, Rank& to, Envelope& message) {
  if (Request* const receive = to.mailbox.take_receive(message.key); receive != nullptr) {
    if (fill(worker, message, *receive)) {
      finish(worker, *receive);
    }
    return;
  }
  to.mailbox.add(message);
  if (to.probing != nullptr && matches(*to.probing, message.key)) {
    to.probing = nullptr;
    worker.make_ready(to);
  }
}

}  // namespace

void deliver_message(Worker& worker, InboxItem& item) {
  auto& message = static_cast<Envelope&>(item);
  Worker& home = *message.to->worker.load(std::memory_order_acquire);
  if (&home != &worker) {
    message.sent_on = true;
    home.inbox().push(item);
    return;
  }
  if (message.to->settling.load(std::memory_order_acquire) && keep_back(*message.to, message)) [[unlikely]] {
    return;
  }
  arrive(worker, *message.to, message);
}

namespace {

Envelope& make_envelope(Worker& worker, Rank& to, Request& send, SendMode mode) {
  const bool rendezvous = send.buffer.bytes > worker.job().config().eager_bytes;
  const std::size_t payload = rendezvous ? 0 : send.buffer.bytes;
  Envelope& message = worker.pool().take(payload);
  message.deliver = &deliver_message;
  message.to = &to;
  message.key = send.key;
  message.payload_bytes = static_cast<std::uint32_t>(payload);
  message.rendezvous = rendezvous;
  message.sent_on = false;
  message.far = false;
  message.origin = Envelope::kHere;
  message.sender = rendezvous || mode == SendMode::synchronous ? &send : nullptr;
  send.message = message.sender != nullptr ? &message : nullptr;
  if (payload != 0) {
    pack(send.buffer, {message.payload(), payload});
  }
  return message;
}

void park_for(Rank& me, const Request* shown, std::uint32_t count) {
  me.waiting_for = count;
  me.waiting_on = shown;
  Worker::current()->park(me);
  me.waiting_on = nullptr;
}

}  // namespace

void start_send(Rank& me, Rank& to, const MatchKey& key, std::int32_t peer, const Buffer& buffer, SendMode mode,
                Request& request) {
  Worker& worker = *me.worker.load(std::memory_order_relaxed);
  request.owner = &me;
  request.kind = Request::Kind::send;
  request.counted = false;
  request.cancelled = false;
  request.buffer = buffer;
  request.key = key;
  request.peer = peer;
  if (me.traffic != nullptr) [[unlikely]] {
    me.traffic->count(number(to.id), buffer.bytes);
  }
  Worker* const home = to.worker.load(std::memory_order_acquire);
  if (home == nullptr) [[unlikely]] {
    send_afar(me, to, mode, request);
    return;
  }
  Worker& target = *home;
  const bool direct = &target == &worker && !to.settling.load(std::memory_order_relaxed);
  if (direct) {
    if (Request* const receive = to.mailbox.take_receive(key); receive != nullptr) {
      note_match(*receive, key, buffer.bytes);
      transfer(buffer, receive->buffer);
      finish(worker, *receive);
      request.done = true;
      return;
    }
  }
  Envelope& message = make_envelope(worker, to, request, mode);
  request.done = message.sender == nullptr;
  if (!request.done && buffer.layout != nullptr) {
    ++me.sends_with_gaps;
  }
  if (direct) {
    arrive(worker, to, message);
  } else {
    target.inbox().push(message);
  }
}

void start_receive(Rank& me, const MatchKey& pattern, const Buffer& buffer, Request& request) {
  request.owner = &me;
  request.kind = Request::Kind::receive;
  request.counted = false;
  request.cancelled = false;
  request.truncated = false;
  request.buffer = buffer;
  request.key = pattern;
  if (Envelope* const message = me.mailbox.find(pattern); message != nullptr) {
    me.mailbox.remove(*message);
    request.done = fill(*me.worker.load(std::memory_order_relaxed), *message, request);
    return;
  }
  request.done = false;
  me.mailbox.post(request);
}

void start_event(Rank& me, std::int32_t peer, const MatchKey& key, Request& request) {
  request.owner = &me;
  request.kind = Request::Kind::send;
  request.done = false;
  request.counted = false;
  request.cancelled = false;
  request.buffer = {};
  request.key = key;
  request.peer = peer;
  request.message = nullptr;
  request.id = 0;
}

void finish_event(Request& request) {
  Worker* const here = Worker::current();
  Worker& home = *request.owner->worker.load(std::memory_order_acquire);
  if (&home == here) {
    finish(home, request);
    return;
  }
  request.completion.deliver = &deliver_completion;
  request.completion.owner = &request;
  home.inbox().push(request.completion);
}

void wait(Rank& me, Request& request) {
  if (!request.done) {
    request.counted = true;
    park_for(me, &request, 1);
  }
}

void wait_any(Rank& me, std::span<Request* const> requests) {
  const Request* shown = nullptr;
  for (Request* request : requests) {
    if (request != nullptr && request->done) {
      return;
    }
    shown = request != nullptr ? request : shown;
  }
  if (shown == nullptr) {
    return;
  }
  const auto mark = [&](bool counted) {
    for (Request* request : requests) {
      if (request != nullptr) {
        request->counted = counted;
      }
    }
  };
  mark(true);
  park_for(me, shown, 1);
  mark(false);
}

void wait_all(Rank& me, std::span<Request* const> requests) {
  std::uint32_t open = 0;
  const Request* shown = nullptr;
  for (Request* request : requests) {
    if (request != nullptr && !request->done) {
      request->counted = true;
      shown = request;
      ++open;
    }
  }
  if (open != 0) {
    park_for(me, shown, open);
  }
}

void yield(Rank& me) { Worker::current()->yield(me); }

bool probe(Rank& me, const MatchKey& pattern, Probed& found) {
  const Envelope* const message = me.mailbox.find(pattern);
  if (message == nullptr) {
    return false;
  }
  found = {message->key, message->bytes()};
  return true;
}

void wait_probe(Rank& me, const MatchKey& pattern, Probed& found) {
  while (!probe(me, pattern, found)) {
    me.probing = &pattern;
    Worker::current()->park(me);
    me.probing = nullptr;
  }
}

Envelope* match(Rank& me, const MatchKey& pattern, Probed& found) {
  Envelope* const message = me.mailbox.find(pattern);
  if (message != nullptr) {
    me.mailbox.remove(*message);
    found = {message->key, message->bytes()};
  }
  return message;
}

Envelope* wait_match(Rank& me, const MatchKey& pattern, Probed& found) {
  wait_probe(me, pattern, found);
  return match(me, pattern, found);
}

void receive_matched(Rank& me, Envelope& message, const Buffer& buffer, Request& request) {
  request.owner = &me;
  request.kind = Request::Kind::receive;
  request.counted = false;
  request.cancelled = false;
  request.buffer = buffer;
  request.done = fill(*me.worker.load(std::memory_order_relaxed), message, request);
}

bool cancel_receive(Rank& me, Request& request) {
  if (request.done || request.pulling) {
    return false;
  }
  me.mailbox.withdraw(request);
  request.cancelled = true;
  request.done = true;
  return true;
}

}  // namespace weft::runtime

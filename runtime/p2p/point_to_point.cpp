#include "runtime/p2p/point_to_point.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/check.hpp"
#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/p2p/mail_route.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/remote.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

// The first context of this list (Endpoint::waiters) that has not been woken yet, or null.
ExecutionContext* parked_waiter(ExecutionContext* waiter) {
  while (waiter != nullptr && waiter->state != ExecutionContext::State::parked) {
    waiter = waiter->next_waiter;
  }
  return waiter;
}

void wake_early(Worker& worker, ExecutionContext* waiter) {
  if (waiter != nullptr) {
    waiter->waiting_for = 0;
    worker.make_ready(*waiter);
  }
}

[[gnu::cold, gnu::noinline]] void wake_one(Worker& worker, Request& request) {
  request.wakes_waiter = false;
  wake_early(worker, parked_waiter(request.owner->waiters));
}

void deliver_completion(Worker& worker, InboxItem& item) {
  auto& completion = static_cast<OwnedItem<Request>&>(item);
  MailOperations op(worker);
  location::arrive(op, *completion.owner->owner, completion);
}

// `here`: the calling worker, or null. The request may be freed as soon as it is done. Completions need not keep their
// order.
void finish_anywhere(Worker* here, Request& request) {
  Endpoint& owner = *request.owner;
  if (here != nullptr && location::is_held(MailOperations::load(owner), here)) {
    finish(*here, request);
    return;
  }
  request.completion.deliver = &deliver_completion;
  request.completion.owner = &request;
  if (here == nullptr) {
    post_from_outside(owner, request.completion);
  } else {
    MailOperations op(*here);
    location::post(op, owner, request.completion);
  }
}

// Moves the payload to a receive on this worker, completes the send and releases the envelope. Does not finish the
// receive. False when the payload is on its way from another process: then the receive is finished once it has come.
bool fill(MessageWorker& worker, Envelope& message, Request& receive) {
  note_match(receive, message.key, message.bytes());
  if (message.remote_sender || message.is_from_other_process) [[unlikely]] {
    return fill_from_remote(worker, message, receive);
  }
  if (message.rendezvous) {
    transfer(message.sender->buffer, receive.buffer);
  } else if (message.payload_bytes != 0) {
    unpack({message.payload(), message.payload_bytes}, receive.buffer);
  }
  if (message.sender != nullptr) {
    finish_anywhere(&worker, *message.sender);
  }
  worker.pool().release(message, worker.pool_of(message.home));
  return true;
}

// Wakes all probes for such a message: the first may take it, or leave it to the others.
void wake_probers(Worker& worker, Endpoint& to, const MatchKey& key) {
  for (ExecutionContext** link = &to.probers; *link != nullptr;) {
    ExecutionContext& prober = **link;
    if (matches(*prober.probing, key)) {
      *link = prober.next_prober;
      prober.probing = nullptr;
      worker.make_ready(prober);
    } else {
      link = &prober.next_prober;
    }
  }
}

// A message has come for a rank of this worker.
void arrive(MessageWorker& worker, Endpoint& to, Envelope& message) {
  if (Request* const receive = to.mailbox.take_receive(message.key); receive != nullptr) {
    if (fill(worker, message, *receive)) {
      finish(worker, *receive);
    }
    return;
  }
  to.mailbox.add(message);
  if (message.over_credit) [[unlikely]] {
    fetch(message);
  }
  if (to.probers != nullptr) [[unlikely]] {
    wake_probers(worker, to, message.key);
  }
}

}  // namespace

void finish(Worker& worker, Request& request) {
  request.done = true;
  Endpoint& owner = *request.owner;
  if (request.buffer.layout != nullptr && request.kind == Request::Kind::send) {
    --owner.noncontiguous_sends;
  }
  if (request.id != 0) [[unlikely]] {
    owner.registered_sends.erase(std::exchange(request.id, 0U));
  }
  if (request.waiter != nullptr) {
    ExecutionContext& waiter = *std::exchange(request.waiter, nullptr);
    // 0: it is ready already. Several requests of a wait_any() may end before it runs.
    if (waiter.waiting_for > 0 && --waiter.waiting_for == 0) {
      worker.make_ready(waiter);
    }
  } else if (request.wakes_waiter) [[unlikely]] {
    wake_one(worker, request);
  }
}

void note_match(Request& receive, const MatchKey& key, std::uint64_t bytes) {
  receive.key = key;
  receive.sent = bytes;
  receive.bytes = std::min<std::uint64_t>(bytes, receive.buffer.bytes);
  receive.truncated = bytes > receive.buffer.bytes;
}

void deliver_message(Worker& worker, InboxItem& item) {
  auto& message = static_cast<Envelope&>(item);
  MailOperations op(worker);
  location::arrive(op, *message.to, message);
}

void MailOperations::accept(Endpoint& rank, Envelope& message) { arrive(self_, rank, message); }

void MailOperations::accept(Endpoint& /*rank*/, OwnedItem<Request>& completion) { finish(self_, *completion.owner); }

namespace {

Envelope& make_envelope(MessageWorker& worker, Endpoint& to, Request& send, SendMode mode) {
  const bool rendezvous = send.buffer.bytes > worker.eager_bytes();
  const std::size_t payload = rendezvous ? 0 : send.buffer.bytes;
  Envelope& message = worker.pool().allocate(payload);
  message.deliver = &deliver_message;
  message.to = &to;
  message.key = send.key;
  message.payload_bytes = static_cast<std::uint32_t>(payload);
  message.rendezvous = rendezvous;
  message.remote_sender = false;
  message.is_from_other_process = false;
  message.over_credit = false;
  message.fetched = false;
  message.sender = rendezvous || mode == SendMode::synchronous ? &send : nullptr;
  send.message = message.sender != nullptr ? &message : nullptr;
  if (payload != 0) {
    pack(send.buffer, {message.payload(), payload});
  }
  return message;
}

// The worker that runs `me`: this costs less than Worker::current().
MessageWorker& worker_of(const Endpoint& me) { return MessageWorker::of(*me.worker.load(std::memory_order_relaxed)); }

[[gnu::cold, gnu::noinline]] void park_as_waiter(Endpoint& me, Worker& here, ExecutionContext& context) {
  context.next_waiter = std::exchange(me.waiters, &context);
  here.park(context);
  ExecutionContext** link = &me.waiters;
  while (*link != &context) {
    link = &(*link)->next_waiter;
  }
  *link = context.next_waiter;
}

// Suspends until `count` requests are done. Where threads of the rank may make calls, wake_waiters() may end it early.
void park_for(Endpoint& me, Worker& here, const Request* shown, std::uint32_t count) {
  ExecutionContext& context = *here.context();
  context.waiting_for = count;
  context.waiting_on = shown;
  if (me.threads_allowed.load(std::memory_order_relaxed)) [[unlikely]] {
    park_as_waiter(me, here, context);
  } else {
    here.park(context);  // the rank may go on on another worker
  }
  context.waiting_on = nullptr;
}

void set_waiter(std::span<Request* const> requests, ExecutionContext* waiter) {
  for (Request* request : requests) {
    if (request != nullptr) {
      request->waiter = waiter;
    }
  }
}

}  // namespace

void start_send(Endpoint& to, SendMode mode, Request& request) {
  Endpoint& me = *request.owner;
  MessageWorker& worker = worker_of(me);
  const Buffer& buffer = request.buffer;
  me.sent.count(buffer.bytes);
  if (me.traffic != nullptr) [[unlikely]] {
    me.traffic->count(number(to.id), buffer.bytes);
  }
  const location::Location<Worker*> at = MailOperations::load(to);
  if (at.worker == nullptr) [[unlikely]] {
    send_remote(me, to, mode, request);
    return;
  }
  MailOperations op(worker);
  const bool direct = location::may_deliver(op, to, at);
  if (direct) {
    if (Request* const receive = to.mailbox.take_receive(request.key); receive != nullptr) {
      note_match(*receive, request.key, buffer.bytes);
      transfer(buffer, receive->buffer);
      finish(worker, *receive);
      request.done = true;
      return;
    }
  }
  Envelope& message = make_envelope(worker, to, request, mode);
  request.done = message.sender == nullptr;
  if (!request.done && buffer.layout != nullptr) {
    ++me.noncontiguous_sends;
  }
  if (direct) {
    arrive(worker, to, message);
  } else {
    worker.prefetch_hints().add(message);
    location::post(op, to, message);
  }
}

void start_receive(Endpoint& me, const MatchKey& pattern, const Buffer& buffer, Request& request) {
  request.reset(me, Request::Kind::receive, pattern, buffer);
  if (Envelope* const message = me.mailbox.find(pattern); message != nullptr) {
    me.mailbox.remove(*message);
    request.done = fill(worker_of(me), *message, request);
    return;
  }
  me.mailbox.post(request);
}

void start_event(Endpoint& me, std::int32_t peer, const MatchKey& key, Request& request) {
  request.reset(me, Request::Kind::send, key, {});
  request.peer = peer;
}

void finish_event(Request& request) { finish_anywhere(Worker::current(), request); }

void wait(Endpoint& me, Request& request) {
  if (!request.done) {
    ExecutionContext& context = *worker_of(me).context();
    request.waiter = &context;
    context.waiting_for = 1;
    context.waiting_on = &request;
    worker_of(me).park(context);
    context.waiting_on = nullptr;
  }
}

void wait_any(Endpoint& me, std::span<Request* const> requests, const Request* shared) {
  const Request* shown = shared;
  for (Request* request : requests) {
    if (request != nullptr && request->done) {
      return;
    }
    shown = request != nullptr ? request : shown;
  }
  if (shown != nullptr) {
    Worker& here = worker_of(me);
    set_waiter(requests, here.context());
    park_for(me, here, shown, 1);
    set_waiter(requests, nullptr);
  }
}

void wait_all(Endpoint& me, std::span<Request* const> requests) {
  std::uint32_t open = 0;
  const Request* shown = nullptr;
  Worker& here = worker_of(me);
  for (Request* request : requests) {
    if (request != nullptr && !request->done) {
      request->waiter = here.context();
      shown = request;
      ++open;
    }
  }
  if (open != 0) {
    park_for(me, here, shown, open);
    if (me.threads_allowed) [[unlikely]] {
      // wake_waiters() may have ended the wait early: requests that are still pending must not wake this context later.
      set_waiter(requests, nullptr);
    }
  }
}

void wake_waiters(Endpoint& me) {
  for (ExecutionContext* context = parked_waiter(me.waiters); context != nullptr;
       context = parked_waiter(context->next_waiter)) {
    wake_early(worker_of(me), context);
  }
}

void wake_waiter_at_end(Request& request) { request.wakes_waiter = true; }

void yield(Endpoint& /*me*/) { Worker::current()->yield(); }

bool probe(Endpoint& me, const MatchKey& pattern, Probed& found) {
  const Envelope* const message = me.mailbox.find(pattern);
  if (message == nullptr) {
    return false;
  }
  found = {message->key, message->bytes()};
  return true;
}

bool wait_probe(Endpoint& me, const MatchKey& pattern, Probed& found) {
  while (!probe(me, pattern, found)) {
    ExecutionContext& context = *Worker::current()->context();
    context.probing = &pattern;
    context.next_prober = std::exchange(me.probers, &context);
    Worker::current()->park(context);
    if (std::exchange(context.probe_failed, false)) [[unlikely]] {
      return false;
    }
  }
  return true;
}

Envelope* match(Endpoint& me, const MatchKey& pattern, Probed& found) {
  Envelope* const message = me.mailbox.find(pattern);
  if (message != nullptr) {
    me.mailbox.remove(*message);
    found = {message->key, message->bytes()};
  }
  return message;
}

Envelope* wait_match(Endpoint& me, const MatchKey& pattern, Probed& found) {
  for (;;) {  // another thread of the rank may take it first
    if (!wait_probe(me, pattern, found)) {
      return nullptr;
    }
    if (Envelope* const message = match(me, pattern, found); message != nullptr) {
      return message;
    }
  }
}

void receive_matched(Endpoint& me, Envelope& message, const Buffer& buffer, Request& request) {
  request.reset(me, Request::Kind::receive, {}, buffer);  // the key comes with the match
  request.done = fill(worker_of(me), message, request);
}

bool cancel_receive(Endpoint& me, Request& request) {
  if (request.done || request.reading) {
    return false;
  }
  me.mailbox.withdraw(request);
  request.cancelled = true;
  request.done = true;
  return true;
}

}  // namespace p2p
}  // namespace weft::runtime

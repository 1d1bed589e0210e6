#include "runtime/p2p/remote.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "base/check.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/fetched.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
namespace {

// The payload in a row: where it lies, or packed into `room`.
std::span<const std::byte> packed(const Buffer& buffer, std::vector<std::byte>& room) {
  if (buffer.layout == nullptr) {
    return {static_cast<const std::byte*>(buffer.base), buffer.bytes};
  }
  room.resize(buffer.bytes);
  pack(buffer, room);
  return room;
}

RegisteredSend& name(Rank& me, Request& send) {
  send.id = ++me.last_send_id;
  RegisteredSend& named = me.registered_sends[send.id];
  named.request = &send;
  return named;
}

// The payload of an announced message on its way into a receive.
struct RendezvousRead : InboxItem, net::Read {
  Request* receive = nullptr;
  Envelope* message = nullptr;
  std::vector<std::byte> packed;  // when the receive's buffer is not contiguous
};

void end_pull(Worker& worker, InboxItem& item) {
  std::unique_ptr<RendezvousRead> pull(&static_cast<RendezvousRead&>(item));
  Rank& owner = *pull->receive->owner;
  if (Worker& home = *owner.worker.load(std::memory_order_acquire); &home != &worker) {
    home.inbox().push(*pull.release());
    return;
  }
  Request& receive = *pull->receive;
  if (receive.buffer.layout != nullptr) {
    unpack(pull->packed, receive.buffer);
  }
  tell_sender(worker.job(), pull->message->sender_rank, pull->message->sender_id);
  end_envelope(worker.job(), worker.pool(), *pull->message);
  receive.pulling = false;
  finish(worker, receive);
  Cluster& cluster = worker.job().cluster();
  if (cluster.rendezvous_reads.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    worker.job().step().reads_ended();
  }
}

void pull(Worker& worker, Envelope& message, Request& receive) {
  Job& job = worker.job();
  const RemoteBuffer far = message.remote_buffer();
  auto pull = std::make_unique<RendezvousRead>();
  pull->receive = &receive;
  pull->message = &message;
  pull->deliver = &end_pull;
  const std::size_t bytes = receive.bytes;
  if (receive.buffer.layout != nullptr) {
    pull->packed.resize(bytes);
    pull->into = pull->packed;
  } else {
    pull->into = {static_cast<std::byte*>(receive.buffer.base), bytes};
  }
  pull->from = job.process_of(job.rank(message.sender_rank));
  pull->address = reinterpret_cast<const void*>(far.address);
  pull->finished = [](net::Read& read) {
    auto& done = static_cast<RendezvousRead&>(read);
    done.receive->owner->worker.load(std::memory_order_acquire)->inbox().push(done);
  };
  receive.pulling = true;
  Cluster& cluster = job.cluster();
  cluster.rendezvous_reads.fetch_add(1, std::memory_order_acq_rel);
  RendezvousRead& under_way = *pull.release();
  if (under_way.from == cluster.self() || bytes == 0) {
    if (bytes != 0) {
      std::memcpy(under_way.into.data(), under_way.address, bytes);
    }
    under_way.finished(under_way);
  } else {
    cluster.transport().read(under_way);
  }
}

// Told that a send is over.
struct Answer : InboxItem {
  Rank* sender = nullptr;
  std::uint64_t id = 0;
};

void deliver_answer(Worker& worker, InboxItem& item) {
  auto& answer = static_cast<Answer&>(item);
  if (Worker& home = *answer.sender->worker.load(std::memory_order_acquire); &home != &worker) {
    home.inbox().push(item);
    return;
  }
  const std::unique_ptr<Answer> ends(&answer);
  finish(worker, *answer.sender->registered_sends.at(answer.id).request);
}

}  // namespace

void tell_sender(Job& job, std::uint32_t sender, std::uint64_t id) {
  Cluster& cluster = job.cluster();
  Rank& rank = job.rank(sender);
  const ProcessId process = job.process_of(rank);
  if (process == cluster.self()) {
    finish_send(rank, id);
  } else {
    WireHead head;
    head.to = sender;
    head.kind = WireKind::finished;
    head.id = id;
    cluster.send(process, head);
  }
}

std::size_t eager_cost(std::size_t payload) { return payload + sizeof(Envelope); }

void end_envelope(Job& job, EnvelopePool& here, Envelope& message) {
  if (message.fetched) {
    drop_fetched(job, message);
  } else if (message.has_origin && !message.rendezvous) {
    job.cluster().consumed(ProcessId{message.origin}, eager_cost(message.payload_bytes));
  }
  here.give(message, job.worker(0).pool_of(message.home));
}

void send_remote(Rank& me, Rank& to, SendMode mode, Request& request) {
  Cluster& cluster = me.job.cluster();
  const ProcessId process = me.job.process_of(to);
  const Buffer& buffer = request.buffer;
  WireHead head;
  head.to = number(to.id);
  head.key = request.key;
  head.from = number(me.id);
  const bool is_short = buffer.bytes <= me.job.config().eager_bytes && buffer.bytes <= cluster.longest_body();
  const bool eager =
      is_short && cluster.take_credit(*me.worker.load(std::memory_order_relaxed), process, eager_cost(buffer.bytes));
  request.done = eager && mode == SendMode::standard;
  request.message = nullptr;
  std::vector<std::byte> room;
  if (request.done) {
    cluster.send(process, head, packed(buffer, room));
    return;
  }
  if (buffer.layout != nullptr) {
    ++me.sends_with_gaps;
  }
  RegisteredSend& named = name(me, request);
  head.id = request.id;
  if (eager) {
    head.kind = WireKind::acknowledged;
    cluster.send(process, head, packed(buffer, room));
    return;
  }
  const std::span<const std::byte> payload = packed(buffer, named.packed);
  const RemoteBuffer far{reinterpret_cast<std::uint64_t>(payload.data()), payload.size()};
  head.kind = WireKind::announced;
  named.over_credit = is_short && mode == SendMode::standard;
  head.over_credit = named.over_credit ? 1 : 0;
  cluster.send(process, head, std::as_bytes(std::span(&far, 1)));
}

bool receive_at_once(Worker& worker, const WireHead& head, std::span<const std::byte> body) {
  Rank& to = worker.job().rank(head.to);
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

void deliver_remote(Job& job, Envelope& message, const WireHead& head, std::span<const std::byte> body,
                    ProcessId from) {
  Rank& to = job.rank(head.to);
  message.deliver = &deliver_message;
  message.to = &to;
  message.key = head.key;
  message.sender = nullptr;
  message.payload_bytes = static_cast<std::uint32_t>(body.size());
  message.sent_on = false;
  message.rendezvous = head.kind == WireKind::announced;
  message.far = head.kind != WireKind::eager;
  message.over_credit = message.rendezvous && head.over_credit != 0;
  message.fetched = false;
  message.sender_rank = head.from;
  message.sender_id = head.id;
  message.has_origin = true;
  message.origin = number(from);
  if (!body.empty()) {
    std::memcpy(message.payload(), body.data(), body.size());
  }
  Worker* const worker = to.worker.load(std::memory_order_acquire);
  base::check(worker != nullptr, "a message came for a rank that does not live here");
  worker->inbox().push(message);
}

void finish_send(Rank& sender, std::uint64_t id) {
  auto answer = std::make_unique<Answer>();
  answer->deliver = &deliver_answer;
  answer->sender = &sender;
  answer->id = id;
  Worker* const worker = sender.worker.load(std::memory_order_acquire);
  base::check(worker != nullptr, "an answer came for a rank that does not live here");
  worker->inbox().push(*answer.release());
}

bool fill_from_remote(Worker& worker, Envelope& message, Request& receive) {
  if (message.fetched) {
    return fill_from_fetched(worker, message, receive);
  }
  if (message.rendezvous) {
    pull(worker, message, receive);
    return false;
  }
  if (message.payload_bytes != 0) {
    unpack({message.payload(), message.payload_bytes}, receive.buffer);
  }
  if (message.far) {
    tell_sender(worker.job(), message.sender_rank, message.sender_id);
  }
  end_envelope(worker.job(), worker.pool(), message);
  return true;
}

}  // namespace weft::runtime

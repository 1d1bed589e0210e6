#include "runtime/control/cluster.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/remote.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/upper_layer.hpp"

namespace weft::runtime {
inline namespace control {
namespace {

std::vector<std::uint32_t> first_workers(const std::vector<std::uint32_t>& workers) {
  std::vector<std::uint32_t> first{0};
  for (const std::uint32_t n : workers) {
    first.push_back(first.back() + n);
  }
  return first;
}

std::span<const std::byte> bytes_of(const WireHead& head) { return std::as_bytes(std::span(&head, 1)); }

}  // namespace

Cluster::Cluster(ProcessId self, std::vector<std::uint32_t> workers)
    : Remote(self, workers[number(self)]),
      first_worker_(first_workers(workers)),
      peers_(std::make_unique<Peer[]>(workers.size())) {}

Cluster::~Cluster() = default;

void Cluster::attach(const JobContext& job) {
  job_ = &job;
  ranks_ = &job.ranks;
  workers_ = job.workers;
  unexpected_memory_ = std::make_unique<UnexpectedMemory>(job.config.unexpected_limit);
}

ProcessId Cluster::process_of(std::uint32_t worker) const {
  const auto after = std::upper_bound(first_worker_.begin(), first_worker_.end(), worker);
  return ProcessId{static_cast<std::uint32_t>(after - first_worker_.begin()) - 1};
}

Endpoint& Cluster::endpoint(std::uint32_t rank) const { return (*ranks_)[rank]; }

EnvelopePool& Cluster::home_of(const Envelope& message) {
  return message.home < workers_.size() ? MessageWorker::of(*workers_[message.home]).pool() : pool();
}

// The worker of this job that the calling thread runs, or null.
MessageWorker* Cluster::current_worker() const {
  Worker* const here = Worker::current();
  return here != nullptr && &MessageWorker::of(*here).remote() == this ? &MessageWorker::of(*here) : nullptr;
}

void Cluster::send(ProcessId to, const WireHead& head, std::span<const std::byte> body) {
  if (head.kind != WireKind::control && head.kind != WireKind::credit) {
    count_sent();
  }
  transport_->send(to, bytes_of(head), body);
}

void Cluster::send_active_message(ProcessId to, std::span<std::byte> head_and_text, std::span<const std::byte> body) {
  WireHead head;
  head.kind = WireKind::active;
  std::memcpy(head_and_text.data(), &head, sizeof head);
  count_sent();
  transport_->send(to, head_and_text, body);
}

// Workers have counters of their own: an atomic addition costs a tenth of a short message.
void Cluster::count_sent() {
  if (MessageWorker* const here = current_worker(); here != nullptr) {
    here->count_sent();
  } else {
    // Pairs with sent(): a thread that sees the count sees that the message is under way.
    sent_.fetch_add(1, std::memory_order_acq_rel);
  }
}

std::uint64_t Cluster::sent() const {
  std::uint64_t all = sent_.load(std::memory_order_acquire);  // pairs with count_sent()
  for (const Worker* const worker : workers_) {
    all += MessageWorker::of(*worker).sent();
  }
  return all;
}

// A worker takes credit for several messages at a time, since all workers share one atomic counter.
bool Cluster::take_credit(MessageWorker& here, ProcessId to, std::size_t bytes) {
  const auto needed = static_cast<std::int64_t>(bytes);
  std::int64_t& cached = here.cached_credit(to);
  if (cached >= needed) [[likely]] {
    cached -= needed;
    return true;
  }
  std::atomic<std::int64_t>& credit = peers_[number(to)].credit;
  const std::int64_t missing = needed - cached;
  for (const std::int64_t portion : {std::max(missing, kCreditPortion), missing}) {
    if (credit.fetch_sub(portion, std::memory_order_relaxed) >= portion) {
      cached += portion - needed;
      return true;
    }
    credit.fetch_add(portion, std::memory_order_relaxed);
  }
  return false;
}

void Cluster::return_credit(ProcessId from, std::size_t bytes) {
  std::atomic<std::int64_t>& unreturned = peers_[number(from)].unreturned_credit;
  const auto now = unreturned.fetch_add(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
  if (now + static_cast<std::int64_t>(bytes) < UnexpectedMemory::kCredit / 4) {
    return;
  }
  if (const std::int64_t free = unreturned.exchange(0, std::memory_order_relaxed); free > 0) {
    send_credit(from, free);
  }
}

void Cluster::return_credit_when_polling(ProcessId from, std::size_t bytes) {
  std::int64_t& unreturned = peers_[number(from)].unreturned_when_polling;
  unreturned += static_cast<std::int64_t>(bytes);
  if (unreturned >= UnexpectedMemory::kCredit / 4) {
    send_credit(from, std::exchange(unreturned, 0));
  }
}

void Cluster::send_credit(ProcessId to, std::int64_t bytes) {
  WireHead head;
  head.kind = WireKind::credit;
  head.id = static_cast<std::uint64_t>(bytes);
  send(to, head);
}

ProcessId Cluster::first_living_process() const {
  std::uint32_t first = 0;
  while (loses_processes && is_lost(ProcessId{first})) {
    ++first;
  }
  return ProcessId{first};
}

void Cluster::lose(ProcessId process) {
  // Pairs with is_lost(): a sender that sees it sends nothing that would wait for an acknowledgement.
  peers_[number(process)].lost.store(true, std::memory_order_release);
  transport_->lose(process);
}

// One thread at a time: see net::Sink. Pairs with received().
void Cluster::count_received() {
  received_.store(received_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
}

void Cluster::arrived(ProcessId from, std::span<const std::byte> message) {
  WireHead head;
  std::memcpy(static_cast<void*>(&head), message.data(), sizeof head);
  const std::span<const std::byte> body = message.subspan(sizeof head);
  switch (head.kind) {
    case WireKind::control:
      control_->receive_piece(from, head, body);
      return;
    case WireKind::credit:
      peers_[number(from)].credit.fetch_add(static_cast<std::int64_t>(head.id), std::memory_order_relaxed);
      return;
    case WireKind::acknowledgement:
      acknowledge_send(head);
      break;
    case WireKind::active:
      job_->upper_layer->on_active_message(job_->job, from, body);
      break;
    case WireKind::eager:
    case WireKind::synchronous:
    case WireKind::rendezvous:
      deliver(head, body, from);
      break;
  }
  // Counted once it is in an inbox: a thread that sees the count and then an empty inbox has seen the message handled.
  count_received();
}

void Cluster::deliver(const WireHead& head, std::span<const std::byte> body, ProcessId from) {
  Endpoint& to = endpoint(head.to);
  if (MessageWorker* const here = current_worker(); here != nullptr) {
    if (here->polls() && receive_at_once(*here, head, body)) {
      return_credit_when_polling(from, eager_cost(body.size()));
      return;
    }
    deliver_remote(to, here->pool().allocate(body.size()), head, body, from);
    return;
  }
  Envelope* message = nullptr;
  {
    const std::lock_guard lock(pool_mutex);
    message = &pool().allocate(body.size());
  }
  deliver_remote(to, *message, head, body, from);
}

void Cluster::acknowledge_send(const WireHead& head) { finish_send((*ranks_)[head.to], head.id); }

}  // namespace control
}  // namespace weft::runtime

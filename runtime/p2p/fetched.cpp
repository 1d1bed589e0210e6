#include "runtime/p2p/fetched.hpp"

#include <cstring>
#include <memory>

#include "runtime/control/cluster.hpp"
#include "runtime/job/job.hpp"
#include "runtime/lbstep/step.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/p2p/remote.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
namespace {

// Owned by the receiver's worker; `message` names it in place of the sender's buffer.
struct Fetched : InboxItem, net::Read {
  Rank* to = nullptr;
  Envelope* message = nullptr;  // null: dropped while the payload was on its way
  Request* receive = nullptr;   // that has matched meanwhile
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::uint32_t sender_rank = 0;
  std::uint64_t sender_id = 0;
  bool whole = false;
};

Fetched& fetched(const Envelope& message) { return *reinterpret_cast<Fetched*>(message.remote_buffer().address); }

void name_instead(Envelope& message, Fetched& fetched) {
  const RemoteBuffer here{reinterpret_cast<std::uint64_t>(&fetched), message.remote_buffer().bytes};
  std::memcpy(message.payload(), &here, sizeof here);
  message.fetched = true;
}

void end(Job& job, Fetched& fetched) {
  job.cluster().unexpected_memory().give(eager_cost(fetched.size));
  delete &fetched;
}

void fill(Worker& worker, Fetched& fetched, Request& receive) {
  if (fetched.size != 0) {
    unpack({fetched.bytes.get(), fetched.size}, receive.buffer);
  }
  end_envelope(worker.job(), worker.pool(), *fetched.message);
}

// On the receiver's worker: the payload is here.
void arrive_whole(Worker& worker, InboxItem& item) {
  auto& fetched = static_cast<Fetched&>(item);
  if (Worker* const home = fetched.to->worker.load(std::memory_order_acquire); home != nullptr && home != &worker) {
    home->inbox().push(item);  // its receiver has moved meanwhile
    return;
  }
  Job& job = worker.job();
  fetched.whole = true;
  tell_sender(job, fetched.sender_rank, fetched.sender_id);
  if (Request* const receive = fetched.receive; receive != nullptr) {
    receive->pulling = false;
    fill(worker, fetched, *receive);
    finish(worker, *receive);
  } else if (fetched.message == nullptr) {
    end(job, fetched);
  }
  if (job.cluster().rendezvous_reads.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    job.step().reads_ended();
  }
}

}  // namespace

void fetch(Worker& worker, Envelope& message) {
  Job& job = worker.job();
  Cluster& cluster = job.cluster();
  Rank& to = *message.to;
  const RemoteBuffer there = message.remote_buffer();
  const ProcessId from = job.process_of(job.rank(message.sender_rank));
  if (to.state == Rank::State::dormant || from == cluster.self() ||
      !cluster.unexpected_memory().take(eager_cost(there.bytes))) {
    return;
  }
  auto fetched = std::make_unique<Fetched>();
  fetched->deliver = &arrive_whole;
  fetched->to = &to;
  fetched->message = &message;
  fetched->size = there.bytes;
  fetched->bytes = std::make_unique_for_overwrite<std::byte[]>(there.bytes);
  fetched->sender_rank = message.sender_rank;
  fetched->sender_id = message.sender_id;
  fetched->from = from;
  fetched->address = reinterpret_cast<const void*>(there.address);
  fetched->into = {fetched->bytes.get(), fetched->size};
  fetched->finished = [](net::Read& read) {
    auto& done = static_cast<Fetched&>(read);
    done.to->worker.load(std::memory_order_acquire)->inbox().push(done);
  };
  cluster.rendezvous_reads.fetch_add(1, std::memory_order_acq_rel);
  name_instead(message, *fetched);
  Fetched& under_way = *fetched.release();
  if (under_way.size == 0) {
    under_way.finished(under_way);
  } else {
    cluster.transport().read(under_way);
  }
}

bool fill_from_fetched(Worker& worker, Envelope& message, Request& receive) {
  Fetched& payload = fetched(message);
  if (!payload.whole) {
    payload.receive = &receive;
    receive.pulling = true;
    return false;
  }
  fill(worker, payload, receive);
  return true;
}

std::span<std::byte> fetched_payload(const Envelope& message) {
  Fetched& payload = fetched(message);
  return {payload.bytes.get(), payload.size};
}

void drop_fetched(Job& job, Envelope& message) {
  Fetched& payload = fetched(message);
  message.fetched = false;
  payload.message = nullptr;
  if (payload.whole) {
    end(job, payload);
  }
}

}  // namespace weft::runtime

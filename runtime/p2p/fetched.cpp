#include "runtime/p2p/fetched.hpp"

#include <cstring>
#include <memory>

#include "runtime/p2p/endpoint.hpp"
#include "runtime/p2p/envelope.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/p2p/remote.hpp"

namespace weft::runtime {
inline namespace p2p {
namespace {

// Owned by the receiver's worker; the message's remote_buffer() is the address of this.
struct Fetched : InboxItem, net::Read {
  Endpoint* to = nullptr;
  Envelope* message = nullptr;  // null: dropped while the payload was on its way
  Request* receive = nullptr;   // that has matched it before it was complete
  std::unique_ptr<std::byte[]> bytes;
  std::size_t size = 0;
  std::uint32_t sender_rank = 0;
  std::uint64_t sender_id = 0;
  bool is_complete = false;
};

Fetched& fetched(const Envelope& message) { return *reinterpret_cast<Fetched*>(message.remote_buffer().address); }

void point_to_fetched(Envelope& message, Fetched& fetched) {
  const RemoteBuffer here{reinterpret_cast<std::uint64_t>(&fetched), message.remote_buffer().bytes};
  std::memcpy(message.payload(), &here, sizeof here);
  message.fetched = true;
}

void end(Remote& remote, Fetched& fetched) {
  remote.unexpected_memory().release(eager_cost(fetched.size));
  delete &fetched;
}

void fill(MessageWorker& worker, Fetched& fetched, Request& receive) {
  if (fetched.lost) [[unlikely]] {
    receive.failure = Failure::process_failed;
  } else if (fetched.size != 0) {
    unpack({fetched.bytes.get(), fetched.size}, receive.buffer);
  }
  end_envelope(worker.remote(), worker.pool(), *fetched.message);
}

// On the receiver's worker: the payload has come.
void finish_fetch(Worker& here, InboxItem& item) {
  auto& fetched = static_cast<Fetched&>(item);
  // Pairs with arrive_at_worker().
  if (Worker* const home = fetched.to->worker.load(std::memory_order_acquire); home != nullptr && home != &here) {
    home->inbox().push(item);  // its receiver has moved meanwhile
    return;
  }
  MessageWorker& worker = MessageWorker::of(here);
  Remote& remote = worker.remote();
  fetched.is_complete = true;
  notify_sender(remote, fetched.sender_rank, fetched.sender_id);
  if (Request* const receive = fetched.receive; receive != nullptr) {
    receive->reading = false;
    fill(worker, fetched, *receive);
    finish(worker, *receive);
  } else if (fetched.message == nullptr) {
    end(remote, fetched);
  }
  remote.end_read();
}

}  // namespace

void fetch(Envelope& message) {
  Endpoint& to = *message.to;
  Remote& remote = to.remote;
  const RemoteBuffer there = message.remote_buffer();
  const ProcessId from = remote.endpoint(message.sender_rank).process;
  if (to.state == ExecutionContext::State::dormant || from == remote.self() ||
      !remote.unexpected_memory().reserve(eager_cost(there.bytes))) {
    return;
  }
  auto fetched = std::make_unique<Fetched>();
  fetched->deliver = &finish_fetch;
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
    // Pairs with arrive_at_worker().
    done.to->worker.load(std::memory_order_acquire)->inbox().push(done);
  };
  remote.begin_read();
  point_to_fetched(message, *fetched);
  Fetched& under_way = *fetched.release();
  if (under_way.size == 0) {
    under_way.finished(under_way);
  } else {
    remote.read(under_way);
  }
}

bool fill_from_fetched(MessageWorker& worker, Envelope& message, Request& receive) {
  Fetched& payload = fetched(message);
  if (!payload.is_complete) {
    payload.receive = &receive;
    receive.reading = true;
    return false;
  }
  fill(worker, payload, receive);
  return true;
}

std::span<std::byte> fetched_payload(const Envelope& message) {
  Fetched& payload = fetched(message);
  return {payload.bytes.get(), payload.size};
}

void drop_fetched(Remote& remote, Envelope& message) {
  Fetched& payload = fetched(message);
  message.fetched = false;
  payload.message = nullptr;
  if (payload.is_complete) {
    end(remote, payload);
  }
}

}  // namespace p2p
}  // namespace weft::runtime

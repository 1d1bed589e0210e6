#include "runtime/net/router.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "runtime/meter/ticks.hpp"

namespace weft::net {

void Router::SerializingSink::arrived(ProcessId from, std::span<const std::byte> message) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (several_.load(std::memory_order_relaxed)) {
    lock.lock();
  }
  sink_.arrived(from, message);
}

Router::~Router() {
  while (!transports_.empty()) {
    transports_.pop_back();
  }
}

std::size_t Router::add(std::unique_ptr<Transport> transport, std::uint64_t ticks_between_polls) {
  if (transport->doorbell(0) != nullptr) {
    base::check(doorbells_ == nullptr, "two transports of a router that both have doorbells");
    doorbells_ = transport.get();
  }
  transports_.push_back(std::make_unique<Routed>());
  transports_.back()->transport = std::move(transport);
  transports_.back()->ticks_between_polls = ticks_between_polls;
  return transports_.size() - 1;
}

void Router::route(ProcessId peer, std::size_t transport) {
  by_peer_.resize(std::max<std::size_t>(by_peer_.size(), number(peer) + 1));
  by_peer_[number(peer)] = transports_.at(transport)->transport.get();
}

Transport& Router::transport_to(ProcessId peer) const {
  base::check(number(peer) < by_peer_.size() && by_peer_[number(peer)] != nullptr, "a process that has no route");
  return *by_peer_[number(peer)];
}

std::size_t Router::longest_message() const {
  std::size_t longest = std::numeric_limits<std::size_t>::max();
  for (const std::unique_ptr<Routed>& routed : transports_) {
    longest = std::min(longest, routed->transport->longest_message());
  }
  return longest;
}

bool Router::poll(Routed& routed) {
  if (routed.ticks_between_polls != 0) {
    const std::uint64_t now = runtime::ticks();
    if (now - routed.polled_at.load(std::memory_order_relaxed) < routed.ticks_between_polls) {
      return false;
    }
    routed.polled_at.store(now, std::memory_order_relaxed);
  }
  return routed.transport->poll();
}

bool Router::poll() {
  bool did = false;
  for (const std::unique_ptr<Routed>& routed : transports_) {
    did = poll(*routed) || did;
  }
  return did;
}

bool Router::help() {
  return std::any_of(transports_.begin(), transports_.end(),
                     [](const auto& routed) { return routed->transport->help(); });
}

Doorbell* Router::doorbell(std::uint32_t worker) {
  return doorbells_ == nullptr ? nullptr : doorbells_->doorbell(worker);
}

bool Router::may_sleep() {
  return std::all_of(transports_.begin(), transports_.end(),
                     [](const auto& routed) { return routed->transport->may_sleep(); });
}

bool Router::writes_are_seen() const {
  return std::all_of(transports_.begin(), transports_.end(),
                     [](const auto& routed) { return routed->transport->writes_are_seen(); });
}

bool Router::is_drained() const {
  return std::all_of(transports_.begin(), transports_.end(),
                     [](const auto& routed) { return routed->transport->is_drained(); });
}

}  // namespace weft::net

#include "runtime/net/router.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/check.hpp"
#include "runtime/meter/ticks.hpp"

namespace weft::net {

void Router::Gate::arrived(ProcessId from, std::span<const std::byte> message) {
  std::unique_lock lock(mutex_, std::defer_lock);
  if (several_.load(std::memory_order_relaxed)) {
    lock.lock();
  }
  sink_.arrived(from, message);
}

Router::~Router() {
  while (!parts_.empty()) {
    parts_.pop_back();
  }
}

std::size_t Router::add(std::unique_ptr<Transport> part, std::uint64_t ticks_between_polls) {
  if (part->bell(0) != nullptr) {
    base::check(bells_ == nullptr, "two parts of a router that both have bells");
    bells_ = part.get();
  }
  parts_.push_back(std::make_unique<Part>());
  parts_.back()->transport = std::move(part);
  parts_.back()->ticks_between_polls = ticks_between_polls;
  return parts_.size() - 1;
}

void Router::route(ProcessId peer, std::size_t part) {
  by_peer_.resize(std::max<std::size_t>(by_peer_.size(), number(peer) + 1));
  by_peer_[number(peer)] = parts_.at(part)->transport.get();
}

Transport& Router::part_of(ProcessId peer) const {
  base::check(number(peer) < by_peer_.size() && by_peer_[number(peer)] != nullptr, "a process that has no route");
  return *by_peer_[number(peer)];
}

std::size_t Router::longest_message() const {
  std::size_t longest = std::numeric_limits<std::size_t>::max();
  for (const std::unique_ptr<Part>& part : parts_) {
    longest = std::min(longest, part->transport->longest_message());
  }
  return longest;
}

bool Router::poll(Part& part) {
  if (part.ticks_between_polls != 0) {
    const std::uint64_t now = runtime::ticks();
    if (now - part.polled_at.load(std::memory_order_relaxed) < part.ticks_between_polls) {
      return false;
    }
    part.polled_at.store(now, std::memory_order_relaxed);
  }
  return part.transport->poll();
}

bool Router::poll() {
  bool did = false;
  for (const std::unique_ptr<Part>& part : parts_) {
    did = poll(*part) || did;
  }
  return did;
}

bool Router::help() {
  return std::any_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->transport->help(); });
}

Bell* Router::bell(std::uint32_t worker) { return bells_ == nullptr ? nullptr : bells_->bell(worker); }

bool Router::idle() {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->transport->idle(); });
}

bool Router::drained() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const auto& part) { return part->transport->drained(); });
}

}  // namespace weft::net

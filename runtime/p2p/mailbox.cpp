#include "runtime/p2p/mailbox.hpp"

#include <algorithm>
#include <vector>

namespace weft::runtime {
inline namespace p2p {
namespace {

std::uint64_t hash_of(const MatchKey& key) {
  const std::uint64_t low = static_cast<std::uint32_t>(key.source) | (std::uint64_t{key.context} << 32);
  const std::uint64_t mixed =
      (low ^ (std::uint64_t{static_cast<std::uint32_t>(key.tag)} << 17)) * 0x9E3779B97F4A7C15ULL;
  return mixed >> 24;
}

// Bit 0: any source; bit 1: any tag.
std::size_t kind_of(const MatchKey& pattern) {
  return (pattern.source == kAnySource ? 1U : 0U) | (pattern.tag == kAnyTag ? 2U : 0U);
}

// The pattern of this kind that takes the message.
MatchKey pattern_for(const MatchKey& message, std::size_t kind) {
  return {message.context, (kind & 1U) != 0 ? kAnySource : message.source, (kind & 2U) != 0 ? kAnyTag : message.tag};
}

}  // namespace

std::uint64_t Mailbox::PostedChain::hash(const Request& r) { return hash_of(r.key); }
std::uint64_t Mailbox::EnvelopeChain::hash(const Envelope& e) const { return hash_of(pattern_for(e.key, kind)); }

Request* Mailbox::take_receive(const MatchKey& message) {
  Request* oldest = nullptr;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (posted_of_kind_[kind] == 0) {
      continue;
    }
    const MatchKey pattern = pattern_for(message, kind);
    Request* const found = posted_.find(hash_of(pattern), [&](const Request& r) { return r.key == pattern; });
    if (found != nullptr && (oldest == nullptr || found->sequence < oldest->sequence)) {
      oldest = found;
    }
  }
  if (oldest != nullptr) {
    withdraw(*oldest);
  }
  return oldest;
}

void Mailbox::post(Request& receive) {
  receive.sequence = next_sequence_++;
  ++posted_of_kind_[kind_of(receive.key)];
  posted_.append(receive, hash_of(receive.key));
}

void Mailbox::post_again(Request& receive) {
  next_sequence_ = std::max(next_sequence_, receive.sequence + 1);
  ++posted_of_kind_[kind_of(receive.key)];
  posted_.insert(receive, hash_of(receive.key),
                 [](const Request& a, const Request& b) { return a.sequence < b.sequence; });
}

void Mailbox::withdraw(Request& receive) {
  --posted_of_kind_[kind_of(receive.key)];
  posted_.erase(receive, hash_of(receive.key));
}

void Mailbox::add(Envelope& message) {
  message.sequence = next_sequence_++;
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (built_[kind]) {
      unexpected_[kind].append(message, hash_of(pattern_for(message.key, kind)));
    }
  }
}

Envelope* Mailbox::find(const MatchKey& pattern) {
  if (unexpected_[0].size() == 0) {
    return nullptr;
  }
  const std::size_t kind = kind_of(pattern);
  if (!built_[kind]) {
    build(kind);
  }
  return unexpected_[kind].find(hash_of(pattern), [&](const Envelope& e) { return matches(pattern, e.key); });
}

void Mailbox::remove(Envelope& message) {
  for (std::size_t kind = 0; kind < kKinds; ++kind) {
    if (built_[kind]) {
      unexpected_[kind].erase(message, hash_of(pattern_for(message.key, kind)));
    }
  }
}

void Mailbox::build(std::size_t kind) {
  std::vector<Envelope*> in_order;
  in_order.reserve(unexpected_[0].size());
  unexpected_[0].for_each([&](Envelope& e) { in_order.push_back(&e); });
  std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return a->sequence < b->sequence; });
  for (Envelope* e : in_order) {
    unexpected_[kind].append(*e, hash_of(pattern_for(e->key, kind)));
  }
  built_[kind] = true;
}

}  // namespace p2p
}  // namespace weft::runtime

#include "runtime/p2p/envelope_pool.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <utility>

namespace weft::runtime {
inline namespace p2p {
namespace {

Envelope* next_of(Envelope* envelope) { return static_cast<Envelope*>(envelope->next); }

void free_chain(Envelope* first) {
  while (first != nullptr) {
    Envelope* const after = next_of(first);
    std::free(first);
    first = after;
  }
}

// Prefetches an envelope that a later message will be written to: its lines may be with the worker that read an earlier
// one.
void prepare_to_write(const void* envelope) {
  const auto* const lines = static_cast<const std::byte*>(envelope);
  asm volatile("prefetchw %0" : : "m"(*lines));
  asm volatile("prefetchw %0" : : "m"(lines[sizeof(Envelope)]));
}

}  // namespace

EnvelopePool::EnvelopePool(std::uint32_t worker, std::uint32_t worker_count)
    : worker_(worker), going_home_(worker_count) {}

EnvelopePool::~EnvelopePool() {
  std::for_each(free_.begin(), free_.end(), free_chain);
  std::for_each(kept_.begin(), kept_.end(), [](const KeptEnvelope& kept) { std::free(kept.envelope); });
  for (const auto& batches : going_home_) {
    std::for_each(batches.begin(), batches.end(), [](const Batch& batch) { free_chain(batch.first); });
  }
  std::for_each(returned_.begin(), returned_.end(), [](const auto& returned) { free_chain(returned.load()); });
}

Envelope& EnvelopePool::allocate(std::size_t payload_bytes) {
  std::uint8_t size_class = 0;
  while (size_class < kClassBytes.size() && kClassBytes[size_class] < payload_bytes) {
    ++size_class;
  }
  if (size_class < kClassBytes.size()) {
    if (Envelope* const kept = std::exchange(kept_[size_class].envelope, nullptr); kept != nullptr) {
      return *kept;
    }
    Envelope*& first = free_[size_class];
    if (first == nullptr && returned_[size_class].load(std::memory_order_relaxed) != nullptr) {
      // Pairs with send_home(): the batch is linked.
      first = returned_[size_class].exchange(nullptr, std::memory_order_acquire);
    }
    if (Envelope* const envelope = first; envelope != nullptr) {
      first = next_of(envelope);
      prepare_to_write(envelope->prefetch_target());
      return *envelope;
    }
    payload_bytes = kClassBytes[size_class];
  } else {
    size_class = kUnpooled;
  }
  const std::size_t bytes = (sizeof(Envelope) + payload_bytes + 63) & ~std::size_t{63};
  void* const memory = std::aligned_alloc(64, bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  auto* const envelope = new (memory) Envelope;
  envelope->size_class = size_class;
  envelope->home = static_cast<std::uint16_t>(worker_);
  return *envelope;
}

void EnvelopePool::release(Envelope& envelope, EnvelopePool& home) {
  if (envelope.size_class == kUnpooled) {
    std::free(&envelope);
    return;
  }
  if (&home == this) {
    put_into_free_list(envelope);
    return;
  }
  const KeptEnvelope before = std::exchange(kept_[envelope.size_class], {&envelope, &home});
  if (before.envelope != nullptr) {
    send_home(*before.envelope, *before.home);
  }
}

void EnvelopePool::send_home(Envelope& envelope, EnvelopePool& home) {
  Batch& batch = going_home_[envelope.home][envelope.size_class];
  envelope.next = batch.first;
  batch.last = batch.first == nullptr ? &envelope : batch.last;
  batch.first = &envelope;
  batch.hints.add(envelope);
  if (++batch.count == kBatch) {
    std::atomic<Envelope*>& returned = home.returned_[envelope.size_class];
    Envelope* head = returned.load(std::memory_order_relaxed);
    do {
      batch.last->next = head;
      // Pairs with allocate(), which follows the links.
    } while (!returned.compare_exchange_weak(head, batch.first, std::memory_order_release, std::memory_order_relaxed));
    batch = {};
  }
}

void EnvelopePool::put_into_free_list(Envelope& envelope) {
  envelope.lines_to_target = 0;
  envelope.next = free_[envelope.size_class];
  free_[envelope.size_class] = &envelope;
}

}  // namespace p2p
}  // namespace weft::runtime

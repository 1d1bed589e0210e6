#include "runtime/net/ring.hpp"

#include <cstring>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::net {
namespace {

// A place in the ring is written again only after the reader has freed it. ThreadSanitizer, which sees one process
// only, is told so here.
void hand_over([[maybe_unused]] RingControl& control) {
#if defined(__SANITIZE_THREAD__)
  __tsan_release(&control);
#endif
}
void take_back([[maybe_unused]] RingControl& control) {
#if defined(__SANITIZE_THREAD__)
  __tsan_acquire(&control);
#endif
}

}  // namespace

// Signed, since known_head_ may be newer than `tail`.
bool RingWriter::has_room(std::uint64_t tail, std::size_t record, std::memory_order order) {
  const auto used_with = [&](std::uint64_t head) { return static_cast<std::int64_t>(tail + record - head); };
  const auto capacity = static_cast<std::int64_t>(view_.bytes);
  // Pairs with the store below, in has_room() of another thread: the reader has finished reading up to this head before
  // this thread overwrites it.
  if (used_with(known_head_.load(std::memory_order_acquire)) <= capacity) {
    return true;
  }
  const std::uint64_t head = view_.control->head.load(order);
  take_back(*view_.control);
  // Pairs with the load in has_room() of the other threads of this process.
  known_head_.store(head, std::memory_order_release);
  return used_with(head) <= capacity;
}

bool RingWriter::write(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::size_t bytes = head.size() + body.size();
  const std::size_t size = RingView::record_bytes(bytes);
  std::atomic<std::uint64_t>& tail = view_.control->tail;
  __builtin_prefetch(&tail, 1);
  std::uint64_t position = tail.load(std::memory_order_relaxed);
  do {
    // Pairs with the store of `head` in freed(): the record is written only after the reader has read what was there.
    if (!has_room(position, size, std::memory_order_acquire)) {
      return false;
    }
    // Pairs with the load in empty(). Sequentially consistent, since the writer looks for sleepers after it, in ring().
    // If that look came earlier, a worker that found the ring empty could stay asleep.
  } while (
      !tail.compare_exchange_weak(position, position + size, std::memory_order_seq_cst, std::memory_order_relaxed));
  RecordHead& record = view_.record(position);
  record.bytes = static_cast<std::uint32_t>(bytes);
  record.kind = kind;
  auto* const to = reinterpret_cast<std::byte*>(&record + 1);
  if (!head.empty()) {
    std::memcpy(to, head.data(), head.size());
  }
  if (!body.empty()) {
    std::memcpy(to + head.size(), body.data(), body.size());
  }
  hand_over(*view_.control);
  // Pairs with looks_empty() and read().
  record.tag.store(view_.key + position, std::memory_order_release);
  return true;
}

bool RingWriter::must_wait(std::size_t message) {
  // Pairs with freed(), which stores `head` and then loads `starving`: either it sees this flag and rings, or the load
  // of `head` below finds the room. With weaker orders both could miss each other, and the writer's process would
  // sleep.
  // Where the flag is set already, the reader has not yet taken it: freed() takes it after it has stored `head`.
  if (view_.control->starving.load(std::memory_order_seq_cst) == 0) {
    view_.control->starving.store(1, std::memory_order_seq_cst);
  }
  // Pairs with the store of `head` in freed(), as above.
  return !has_room(view_.control->tail.load(std::memory_order_relaxed), RingView::record_bytes(message),
                   std::memory_order_seq_cst);
}

// Frees at least an eighth of the ring at a time. The longest record is a quarter of the ring: while a writer waits for
// room, more than half of the ring is still unread, and the reader frees that.
bool RingReader::freed() {
  const std::uint64_t position = position_.load(std::memory_order_relaxed);
  if (position - published_ < view_.bytes / 8) {
    return false;
  }
  published_ = position;
  RingControl& control = *view_.control;
  // Pairs with has_room(): the reader has read the records before a writer overwrites them. Pairs also with
  // must_wait(), as said there.
  control.head.store(position, std::memory_order_seq_cst);
  // Pairs with the store in must_wait().
  return control.starving.load(std::memory_order_seq_cst) != 0 &&
         control.starving.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace weft::net

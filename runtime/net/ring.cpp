#include "runtime/net/ring.hpp"

#include <cstring>

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

namespace weft::net {
namespace {

// A record's place is written again only after the reader has given it back. ThreadSanitizer, which sees one process,
// is told so.
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
  if (used_with(known_head_.load(std::memory_order_acquire)) <= capacity) {
    return true;
  }
  const std::uint64_t head = view_.control->head.load(order);
  take_back(*view_.control);
  known_head_.store(head, std::memory_order_release);
  return used_with(head) <= capacity;
}

bool RingWriter::write(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> body) {
  const std::size_t bytes = head.size() + body.size();
  const std::size_t size = RingView::record_bytes(bytes);
  std::atomic<std::uint64_t>& tail = view_.control->tail;
  __builtin_prefetch(&tail, 1);
  std::uint64_t position = tail.load(std::memory_order_relaxed);
  // Sequentially consistent: after it the writer looks for sleepers, and sleepers look at it. See Bell.
  do {
    if (!has_room(position, size, std::memory_order_acquire)) {
      return false;
    }
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
  record.tag.store(view_.key + position, std::memory_order_release);
  return true;
}

bool RingWriter::must_wait(std::size_t message) {
  view_.control->starving.store(1, std::memory_order_seq_cst);
  return !has_room(view_.control->tail.load(std::memory_order_relaxed), RingView::record_bytes(message),
                   std::memory_order_seq_cst);
}

// An eighth: whoever finds no room for a quarter still has more than that before it, which the reader will free.
bool RingReader::freed() {
  const std::uint64_t position = position_.load(std::memory_order_relaxed);
  if (position - published_ < view_.bytes / 8) {
    return false;
  }
  published_ = position;
  RingControl& control = *view_.control;
  control.head.store(position, std::memory_order_seq_cst);
  return control.starving.load(std::memory_order_seq_cst) != 0 &&
         control.starving.exchange(0, std::memory_order_seq_cst) != 0;
}

}  // namespace weft::net

// A ring of records in memory that processes share: many writers, one reader at a time, no locks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::net {

// In the shared memory. Positions count bytes since the start and never turn back.
struct RingControl {
  alignas(64) std::atomic<std::uint64_t> tail = 0;  // next record's; taken by the writers
  alignas(64) std::atomic<std::uint64_t> head = 0;  // what the reader has freed
  std::atomic<std::uint32_t> starving = 0;          // a writer sleeps until the reader frees more
};

// First of a record, which is a multiple of 64 bytes long. A record is complete once `tag` is the ring's key plus the
// record's position: nothing is cleared behind the reader, since neither older tags nor (but for one chance in 2^64)
// what messages are made of looks like that.
struct RecordHead {
  std::atomic<std::uint64_t> tag;
  std::uint32_t bytes;  // that follow this head
  std::uint32_t kind;   // the writer's own
};
static_assert(sizeof(RecordHead) == 16);

// A ring as one process sees it. `bytes` is a power of two; the memory is mapped twice, so that a record may run over
// the end.
struct RingView {
  RingControl* control = nullptr;
  std::byte* memory = nullptr;
  std::size_t bytes = 0;
  std::uint64_t key = 0;  // random, at least 2^63

  RecordHead& record(std::uint64_t position) const {
    return *reinterpret_cast<RecordHead*>(memory + (position & (bytes - 1)));
  }
  static constexpr std::size_t record_bytes(std::size_t message) {
    return (message + sizeof(RecordHead) + 63) & ~std::size_t{63};
  }
  // A message of so many bytes finds room whenever the reader has kept up.
  static constexpr std::size_t longest_message(std::size_t ring_bytes) { return ring_bytes / 4 - sizeof(RecordHead); }
};

// Any thread of one process.
class RingWriter {
 public:
  explicit RingWriter(const RingView& view) : view_(view) {}

  // Writes head and body as one record; false, and nothing is written, when there is no room.
  bool write(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> body);
  // True when such a message finds no room; the reader will then say so, as freed() describes.
  bool must_wait(std::size_t message);

 private:
  bool has_room(std::uint64_t tail, std::size_t record, std::memory_order order);

  const RingView view_;
  std::atomic<std::uint64_t> known_head_ = 0;  // as last read
};

// One thread at a time, but for looks_empty() and empty().
class RingReader {
 public:
  explicit RingReader(const RingView& view) : view_(view) {}

  // No complete record where the next one starts.
  bool looks_empty() const {
    const std::uint64_t position = position_.load(std::memory_order_relaxed);
    // Pairs with the store of the tag in write(): who sees the tag sees the record.
    return view_.record(position).tag.load(std::memory_order_acquire) != view_.key + position;
  }
  // No record, complete or not.
  bool empty() const {
    // Pairs with write(), which takes a place at `tail` before it looks for sleepers: one who announced its sleep and
    // finds nothing here is seen by that writer and is woken.
    return view_.control->tail.load(std::memory_order_seq_cst) == position_.load(std::memory_order_relaxed);
  }

  // Gives take(kind, message) the next records, until none is complete or `most_bytes` are read; false if it was none.
  template <typename Take>
  bool read(std::size_t most_bytes, const Take& take) {
    const std::uint64_t start = position_.load(std::memory_order_relaxed);
    std::uint64_t position = start;
    while (position - start < most_bytes) {
      RecordHead& record = view_.record(position);
      // Pairs with the store of the tag in write(): without it the record's bytes could be read before they are
      // written.
      if (record.tag.load(std::memory_order_acquire) != view_.key + position) {
        break;
      }
      const std::uint32_t bytes = record.bytes;
      const std::uint64_t next = position + RingView::record_bytes(bytes);
      __builtin_prefetch(&view_.record(next));
      take(record.kind, std::span(reinterpret_cast<const std::byte*>(&record + 1), bytes));
      position = next;
      position_.store(position, std::memory_order_relaxed);
    }
    return position != start;
  }

  // Lets the writers have what has been read, once it is worth it; true when one of them sleeps for want of room.
  bool freed();

 private:
  const RingView view_;
  std::atomic<std::uint64_t> position_ = 0;
  std::uint64_t published_ = 0;
};

}  // namespace weft::net

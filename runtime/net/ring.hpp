// A ring of records in memory that processes share: many writers, one reader at a time, no locks.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

namespace weft::net {

// Lies in the shared memory. Positions count bytes since the start and never decrease.
struct RingControl {
  alignas(64) std::atomic<std::uint64_t> tail = 0;  // where the next record begins; moved on by the writers
  alignas(64) std::atomic<std::uint64_t> head = 0;  // what the reader has freed
  std::atomic<std::uint32_t> starving = 0;          // a writer sleeps until the reader frees more
};

// The beginning of a record, whose length is a multiple of 64 bytes. A record is complete once `tag` is the ring's key
// plus the record's position. Nothing is cleared behind the reader: neither older tags nor message contents (except by
// a chance of one in 2^64) equal that sum.
struct RecordHead {
  std::atomic<std::uint64_t> tag;
  std::uint32_t bytes;  // length of what follows this head
  std::uint32_t kind;   // chosen by the writer
};
static_assert(sizeof(RecordHead) == 16);

// A ring as one process sees it. `bytes` is a power of two. The memory is mapped twice in a row, so that a record may
// extend past the end.
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
  // A message of at most this many bytes finds room whenever the reader has kept up.
  static constexpr std::size_t longest_message(std::size_t ring_bytes) { return ring_bytes / 4 - sizeof(RecordHead); }
};

// Any thread of one process.
class RingWriter {
 public:
  explicit RingWriter(const RingView& view) : view_(view) {}

  // Writes head and body as one record; false, and nothing is written, when there is no room.
  bool write(std::uint32_t kind, std::span<const std::byte> head, std::span<const std::byte> body);
  // True when a message of this length finds no room. Then the reader's freed() returns true once it has freed more:
  // the writer may sleep until the reader wakes it.
  bool must_wait(std::size_t message);

 private:
  bool has_room(std::uint64_t tail, std::size_t record, std::memory_order order);

  const RingView view_;
  std::atomic<std::uint64_t> known_head_ = 0;  // as last read
};

// One thread at a time, except looks_empty() and empty().
class RingReader {
 public:
  explicit RingReader(const RingView& view) : view_(view) {}

  // True when there is no complete record at the reader's position.
  bool looks_empty() const {
    const std::uint64_t position = position_.load(std::memory_order_relaxed);
    // Pairs with the store of the tag in write(): a reader that sees the tag sees the record.
    return view_.record(position).tag.load(std::memory_order_acquire) != view_.key + position;
  }
  // True when there is no record, not even an incomplete one.
  bool empty() const {
    // Pairs with write(), which reserves its place at `tail` before it looks for sleepers. If a worker that has
    // announced its sleep finds nothing here, that writer sees the announcement and wakes it.
    return view_.control->tail.load(std::memory_order_seq_cst) == position_.load(std::memory_order_relaxed);
  }

  // Calls take(kind, message) for the next records, until none is complete or `most_bytes` have been read. Returns
  // false if there was none.
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

  // Returns the space of read records to the writers, once it is enough to be worth it. Returns true if a writer sleeps
  // because it found no room.
  bool freed();

 private:
  const RingView view_;
  std::atomic<std::uint64_t> position_ = 0;
  std::uint64_t published_ = 0;
};

}  // namespace weft::net

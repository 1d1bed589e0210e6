// A rank's heap: two-level segregated fit, with a last-in-first-out cache in front. All state lies inside its own
// range.
#pragma once

#include <errno.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>

#include "runtime/image/libc_shim/free_lists.hpp"
#include "runtime/image/libc_shim/heap_block.hpp"

namespace weft::shim {

// Owned by one rank; not thread-safe. Moves between processes byte for byte, because it lies in the rank's slot.
class Heap {
 public:
  // Called with the error and the address; must not return.
  using FaultHandler = void (*)(Fault, const void* where);

  // REQUIRES: [base, base + capacity) reads as zero, is page-aligned and at least 64 KiB.
  static Heap* create(void* base, std::size_t capacity, FaultHandler on_fault);

  // At least `bytes` bytes, aligned to 16; null when the heap is exhausted.
  void* allocate(std::size_t bytes);
  // The same, all zero. Bytes that were never written are not touched.
  void* allocate_zeroed(std::size_t bytes);
  // `alignment` is a power of two.
  void* allocate_aligned(std::size_t alignment, std::size_t bytes);
  // Returns `payload` to the heap.
  void release(void* payload);
  // Grows or shrinks, in place where possible; null (and `payload` intact) when the heap is exhausted.
  void* resize(void* payload, std::size_t bytes);
  // Faults unless `payload` is a block in use.
  void inspect(const void* payload) const;
  static std::size_t usable(const void* payload);

  // Empties the cache and returns the pages of free blocks to the system.
  void trim();
  // First byte past the highest block.
  char* top() const { return top_; }
  bool contains(const void* p) const { return distance(p) < capacity_; }

  struct Usage {
    std::size_t heap;  // bytes from the first block to the top
    std::size_t free;  // of these, in free blocks; blocks in the cache count as used
    std::size_t free_blocks;
  };
  Usage usage() const { return {static_cast<std::size_t>(top_ - first()), free_.bytes(), free_.blocks()}; }
  // Limits the heap to `end` from now on. False where less than half of what the heap has left, up to `limit`, would
  // remain.
  bool end_at(char* end, const char* limit) {
    const bool is_enough =
        end >= end_ || (end - top_ >= (limit - top_) / 2 && end - top_ >= static_cast<std::ptrdiff_t>(kPage));
    end_ = is_enough ? end : end_;
    return is_enough;
  }
  char* end() const { return end_; }
  // Allocates everything between the top and `to`, a multiple of 16, as one block. Null if `to` is below the top, or
  // the heap ends before.
  void* allocate_to(char* to) {
    Block* const block = to > top_ ? take_from_top(static_cast<std::uint64_t>(to - top_)) : nullptr;
    return block == nullptr ? nullptr : block->payload();
  }
  // Checks the whole heap; true if every header, link and count agrees.
  bool is_sound() const;

 private:
  static constexpr std::size_t kCachedSize = 1024;  // largest block in the cache
  static constexpr unsigned kCacheDepth = 64;
  static constexpr std::size_t kBig = 128U << 10;  // free blocks of at least this size may lose their pages
  static constexpr std::size_t kPage = 4096;
  static constexpr std::size_t kTrimmed = 4 * kPage;  // the same in trim()
  // Bounds of keep_, which doubles each time that pages are returned.
  static constexpr std::size_t kFirstKeep = 1U << 20;
  static constexpr std::size_t kMostKeep = 64U << 20;
  static constexpr std::size_t kHugePage = 2U << 20;
  static constexpr std::size_t kLarge = 4U << 20;  // a heap of at least this size gets huge pages where it is in use

  struct Cache {
    Block* newest;
    std::uint64_t count;
  };

  char* first() const { return const_cast<char*>(base()) + (sizeof(Heap) + 15) / 16 * 16; }
  const char* base() const { return reinterpret_cast<const char*>(this); }
  std::size_t distance(const void* p) const {
    return reinterpret_cast<std::size_t>(p) - reinterpret_cast<std::size_t>(this);
  }
  static char* page_up(char* p) {
    return reinterpret_cast<char*>((reinterpret_cast<std::size_t>(p) + kPage - 1) & ~(kPage - 1));
  }
  static char* huge_page_of(char* p) { return p - reinterpret_cast<std::size_t>(p) % kHugePage; }
  static std::uint64_t block_size(std::size_t bytes) {
    return std::max<std::uint64_t>((bytes + Block::kHeader + 15) & ~std::uint64_t{15}, Block::kSmallest);
  }

  void remove(Block* block);
  void give(Block* block);
  void split(Block* block, std::uint64_t size);
  Block* take(std::uint64_t size);
  Block* take_found(Block* block);  // null stays null
  Block* take_exhausted(std::uint64_t size);
  Block* take_from_top(std::uint64_t size);
  void* allocate_slow(std::size_t bytes);
  void empty(Cache& cache);
  void empty_caches();
  void raise_top(std::uint64_t by);
  void ask_for_huge_pages();
  void note_freed(std::uint64_t size);
  static bool drop_pages(char* from, char* to);
  void drop_tail();
  void drop_free_pages(std::uint64_t of_blocks);  // of this size or more

  std::size_t capacity_;
  FaultHandler on_fault_;
  char* top_;   // no block reaches beyond
  char* high_;  // everything beyond reads as zero
  // The heap's limit: the lowest mapping of a file behind it, or the end of the range.
  char* end_;
  char* huge_end_;     // huge pages have been requested below this address
  char* huge_due_;     // they are requested again once the top is here
  std::size_t dirty_;  // bytes freed in big blocks whose pages are still there
  std::size_t keep_;   // with more of them, or more pages past the top, pages are returned to the system
  // By size of the blocks, in units of 16 bytes.
  Cache cache_[kCachedSize / 16 + 1];
  FreeLists free_;
};

inline Heap* Heap::create(void* base, std::size_t capacity, FaultHandler on_fault) {
  Heap* heap = static_cast<Heap*>(base);
  heap->capacity_ = capacity;
  heap->on_fault_ = on_fault;
  heap->end_ = static_cast<char*>(base) + capacity;
  heap->top_ = heap->high_ = heap->first();
  heap->keep_ = kFirstKeep;
  heap->huge_end_ = huge_page_of(heap->first() + kHugePage - 1);
  heap->huge_due_ = heap->first() + kLarge;
  return heap;
}

inline void* Heap::allocate(std::size_t bytes) {
  if (bytes <= kCachedSize - Block::kHeader) [[likely]] {
    const std::uint64_t size = block_size(bytes);
    Cache& cache = cache_[size / 16];
    if (Block* block = cache.newest) [[likely]] {
      const bool inside = distance(block) < capacity_;
      if (!inside || (block->word & ~Block::kPreviousFree) != (Block::sealed(size) | Block::kCached)) [[unlikely]] {
        on_fault_(Fault::kFreeList, inside ? block->payload() : nullptr);
      }
      cache.newest = block->next_free;
      --cache.count;
      block->word &= ~Block::kCached;
      return block->payload();
    }
  }
  return allocate_slow(bytes);
}

inline void Heap::inspect(const void* payload) const {
  const std::size_t offset = distance(payload);
  const std::size_t lowest = static_cast<std::size_t>(first() - base()) + Block::kAlignment;
  if (offset - lowest >= static_cast<std::size_t>(top_ - base()) - lowest || offset % 16 != 0) [[unlikely]] {
    on_fault_(Fault::kNotABlock, payload);
  }
  const Block* block = Block::of(const_cast<void*>(payload));
  if ((block->word & ~Block::kPreviousFree) != Block::sealed(block->size())) [[unlikely]] {
    const bool is_free = block->has_seal() && (block->word & (Block::kFree | Block::kCached)) != 0;
    on_fault_(is_free ? Fault::kDoubleFree : Fault::kCorrupted, payload);
  }
}

inline void Heap::release(void* payload) {
  inspect(payload);
  Block* block = Block::of(payload);
  const std::uint64_t size = block->size();
  if (size > kCachedSize) {
    give(block);
    note_freed(size);
    return;
  }
  Cache& cache = cache_[size / 16];
  if (cache.count == kCacheDepth) [[unlikely]] {
    empty(cache);  // all at once, so that neighbours can merge
  }
  block->word |= Block::kCached;
  block->next_free = cache.newest;
  cache.newest = block;
  ++cache.count;
}

inline std::size_t Heap::usable(const void* payload) {
  return Block::of(const_cast<void*>(payload))->size() - Block::kHeader;
}

}  // namespace weft::shim

#include "runtime/image/libc_shim/heap_fit.hpp"

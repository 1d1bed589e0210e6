// The slow paths of Heap: finding, splitting and merging blocks, and returning pages to the system. Included by
// heap.hpp only.
#pragma once

namespace weft::shim {

inline void Heap::remove(Block* block) {
  if (!contains(block) || !block->has_seal() || !block->is_free()) [[unlikely]] {
    on_fault_(Fault::kFreeList, contains(block) ? block->payload() : nullptr);
  }
  free_.remove(block);
}

// Merges the block with free neighbours. A block that touches the top is merged into the unused space above, so a free
// block always has a used one behind it.
inline void Heap::give(Block* block) {
  Block* next = block->next();
  if (next->begin() > top_ || (next->begin() != top_ && !next->has_seal())) [[unlikely]] {
    on_fault_(Fault::kOverrun, block->payload());
  }
  if ((block->word & Block::kPreviousFree) != 0) {
    Block* previous = block->previous;
    const std::uint64_t size = block->size();
    remove(previous);
    previous->resize(previous->size() + size);
    block = previous;
  }
  if (next->begin() != top_ && next->is_free()) {
    remove(next);
    block->resize(block->size() + next->size());
    next = block->next();
  }
  if (next->begin() == top_) {
    top_ = block->begin();
    if (static_cast<std::size_t>(high_ - top_) > keep_) {
      drop_tail();
      keep_ = std::min(2 * keep_, kMostKeep);
    }
    return;
  }
  free_.insert(block);
}

inline void Heap::split(Block* block, std::uint64_t size) {
  const std::uint64_t rest = block->size() - size;
  if (rest < Block::kSmallest) {
    return;
  }
  block->resize(size);
  block->next()->word = Block::sealed(rest);
  give(block->next());
}

inline Block* Heap::take_found(Block* block) {
  if (block != nullptr) {
    remove(block);
  }
  return block;
}

inline Block* Heap::take_from_top(std::uint64_t size) {
  if (size > static_cast<std::uint64_t>(end_ - top_) - Block::kAlignment) {
    return nullptr;
  }
  Block* block = reinterpret_cast<Block*>(top_);
  block->word = Block::sealed(size);
  raise_top(size);
  return block;
}

// No larger block is left: the list of this size may still hold a block that fits.
inline Block* Heap::take_exhausted(std::uint64_t size) {
  empty_caches();
  Block* block = take_found(free_.find(size));
  if (block == nullptr) {
    block = take_found(free_.find_among_smaller(size));
  }
  return block != nullptr ? block : take_from_top(size);
}

inline Block* Heap::take(std::uint64_t size) {
  Block* block = take_found(free_.find(size));
  if (block == nullptr) {
    block = take_from_top(size);
  }
  if (block == nullptr) {
    block = take_exhausted(size);
  }
  if (block != nullptr) {
    split(block, size);
    if (size >= kBig) {
      dirty_ -= std::min(dirty_, static_cast<std::size_t>(size));
    }
  }
  return block;
}

[[gnu::noinline]] inline void* Heap::allocate_slow(std::size_t bytes) {
  if (bytes >= capacity_) {
    return nullptr;
  }
  Block* block = take(block_size(bytes));
  return block != nullptr ? block->payload() : nullptr;
}

inline void* Heap::allocate_zeroed(std::size_t bytes) {
  const char* untouched = high_;
  char* payload = static_cast<char*>(allocate(bytes));
  if (payload != nullptr && payload < untouched) {
    std::memset(payload, 0, std::min(bytes, static_cast<std::size_t>(untouched - payload)));
  }
  return payload;
}

inline void* Heap::allocate_aligned(std::size_t alignment, std::size_t bytes) {
  if (alignment <= Block::kAlignment) {
    return allocate(bytes);
  }
  if (bytes >= capacity_ || alignment >= capacity_) {
    return nullptr;
  }
  char* payload = static_cast<char*>(allocate(bytes + alignment + Block::kSmallest));
  if (payload == nullptr) {
    return nullptr;
  }
  const std::size_t past = reinterpret_cast<std::size_t>(payload) & (alignment - 1);
  std::size_t front = past == 0 ? 0 : alignment - past;
  if (front != 0 && front < Block::kSmallest) {
    front += alignment;
  }
  Block* block = Block::of(payload);
  if (front != 0) {
    Block* aligned = Block::of(payload + front);
    aligned->word = Block::sealed(block->size() - front);
    block->resize(front);
    give(block);
    block = aligned;
  }
  split(block, std::min(block->size(), block_size(bytes)));
  return block->payload();
}

inline void* Heap::resize(void* payload, std::size_t bytes) {
  inspect(payload);
  if (bytes >= capacity_) {
    return nullptr;
  }
  Block* block = Block::of(payload);
  const std::uint64_t size = block_size(bytes);
  const std::uint64_t old = block->size();
  if (size <= old) {
    if (old > kCachedSize) {
      split(block, size);
    }
    return payload;
  }
  Block* next = block->next();
  const bool is_last = next->begin() == top_;
  if (is_last && size - old <= static_cast<std::uint64_t>(end_ - top_) - Block::kAlignment) {
    block->resize(size);
    raise_top(size - old);
    return payload;
  }
  if (!is_last && next->is_free() && old + next->size() >= size) {
    remove(next);
    block->resize(old + next->size());
    split(block, size);
    return payload;
  }
  void* grown = allocate(bytes);
  if (grown != nullptr) {
    std::memcpy(grown, payload, old - Block::kHeader);
    release(payload);
  }
  return grown;
}

inline void Heap::empty(Cache& cache) {
  for (Block* block = cache.newest; block != nullptr;) {
    if (!contains(block) || !block->has_seal()) [[unlikely]] {
      on_fault_(Fault::kFreeList, contains(block) ? block->payload() : nullptr);
    }
    Block* next = block->next_free;
    block->word &= ~Block::kCached;
    give(block);
    block = next;
  }
  cache = {};
}

inline void Heap::empty_caches() {
  for (Cache& cache : cache_) {
    empty(cache);
  }
}

// The last payload ends 8 bytes past the top: a block's `previous` belongs to the payload before it. Those bytes may be
// written, so high_ is one alignment further.
inline void Heap::raise_top(std::uint64_t by) {
  top_ += by;
  high_ = std::max(high_, top_ + Block::kAlignment);
  if (top_ >= huge_due_) [[unlikely]] {
    ask_for_huge_pages();
  }
}

// Requests whole huge pages below the top, where everything is in use. Random access to large arrays becomes a fifth
// faster, or more.
inline void Heap::ask_for_huge_pages() {
  char* const end = huge_page_of(top_);
  const int kept = errno;
  madvise(huge_end_, static_cast<std::size_t>(end - huge_end_), MADV_HUGEPAGE);  // may be refused
  errno = kept;
  huge_end_ = end;
  huge_due_ = end + kHugePage;
}

inline void Heap::note_freed(std::uint64_t size) {
  if (size < kBig) {
    return;
  }
  dirty_ += size;
  if (dirty_ > keep_ && free_.bytes() > keep_) {
    drop_free_pages(kBig);
    keep_ = std::min(2 * keep_, kMostKeep);
  }
}

// False if some pages keep their content: the kernel refuses for memory that mlock() has locked.
inline bool Heap::drop_pages(char* from, char* to) {
  const int kept = errno;
  const bool is_done = madvise(from, static_cast<std::size_t>(to - from), MADV_DONTNEED) == 0;
  errno = kept;
  return is_done;
}

// Memory past high_ must read as zero: allocate_zeroed() does not clear it.
inline void Heap::drop_tail() {
  char* from = page_up(top_ + Block::kAlignment);
  if (high_ > from && drop_pages(from, page_up(high_))) {
    high_ = from;
  }
}

inline void Heap::drop_free_pages(std::uint64_t of_blocks) {
  dirty_ = 0;
  free_.for_each_from(of_blocks, [](Block* block) {
    char* from = page_up(block->begin() + sizeof *block);
    char* to = page_up(block->next()->begin()) - kPage;
    if (to > from) {
      drop_pages(from, to);
    }
  });
}

inline void Heap::trim() {
  empty_caches();
  drop_free_pages(kTrimmed);
  drop_tail();
}

inline bool Heap::is_sound() const {
  std::size_t free_bytes = 0;
  std::size_t free_blocks = 0;
  bool previous_free = false;
  for (Block* block = reinterpret_cast<Block*>(first()); block->begin() != top_; block = block->next()) {
    if (block->begin() > top_ || !block->has_seal() || block->size() < Block::kSmallest ||
        previous_free != ((block->word & Block::kPreviousFree) != 0) || (previous_free && block->is_free())) {
      return false;
    }
    previous_free = block->is_free();
    free_bytes += previous_free ? block->size() : 0;
    free_blocks += previous_free ? 1 : 0;
  }
  return !previous_free && free_bytes == free_.bytes() && free_blocks == free_.blocks();
}

}  // namespace weft::shim

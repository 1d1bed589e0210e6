// The free blocks of a rank's heap: two-level segregated fit. One list for each range of sizes, and bitmaps of the
// lists that are not empty.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "runtime/image/libc_shim/heap_block.hpp"

namespace weft::shim {

// Owned by one heap, in whose memory it lies; all bytes 0 is an empty object. Constant time except where a comment says
// otherwise.
class FreeLists {
 public:
  // Inserts the block and marks it as free, also for the block that follows it.
  void insert(Block* block);
  // REQUIRES: the block is in its list.
  void remove(Block* block);

  // A block of at least `size` bytes, from the first list whose blocks all fit; null if these lists are empty.
  Block* find(std::uint64_t size) const;
  // The same from the one list that also holds smaller blocks, by a search.
  Block* find_among_smaller(std::uint64_t size) const;
  // Calls visit(block) for all blocks in the list of this size and in those of larger ones.
  template <typename Visit>
  void for_each_from(std::uint64_t size, const Visit& visit) const;

  std::size_t bytes() const { return bytes_; }
  std::size_t blocks() const { return blocks_; }

 private:
  static constexpr unsigned kSecondBits = 4;
  static constexpr unsigned kSecond = 1U << kSecondBits;  // lists per power of two
  // Each multiple of 16 below 2^kLinearBits has a list of its own.
  static constexpr unsigned kLinearBits = kSecondBits + 4;
  static constexpr unsigned kFirst = Block::kSizeBits - kLinearBits + 1;

  struct Bin {
    unsigned first, second;
  };
  static Bin bin_of(std::uint64_t size);

  std::size_t bytes_, blocks_;
  std::uint64_t first_map_;           // bit i: second_map_[i] is not 0
  std::uint32_t second_map_[kFirst];  // bit j of entry i: bins_[i][j] is not empty
  Block* bins_[kFirst][kSecond];
};

inline FreeLists::Bin FreeLists::bin_of(std::uint64_t size) {
  if (size < (1U << kLinearBits)) {
    return {0, static_cast<unsigned>(size >> 4)};
  }
  const unsigned log = static_cast<unsigned>(std::bit_width(size)) - 1;
  return {log - kLinearBits + 1, static_cast<unsigned>(size >> (log - kSecondBits)) & (kSecond - 1)};
}

inline void FreeLists::insert(Block* block) {
  const auto [first, second] = bin_of(block->size());
  Block*& head = bins_[first][second];
  block->next_free = head;
  block->previous_free = nullptr;
  if (head != nullptr) {
    head->previous_free = block;
  }
  head = block;
  first_map_ |= std::uint64_t{1} << first;
  second_map_[first] |= 1U << second;
  block->word |= Block::kFree;
  block->next()->previous = block;
  block->next()->word |= Block::kPreviousFree;
  bytes_ += block->size();
  ++blocks_;
}

inline void FreeLists::remove(Block* block) {
  const auto [first, second] = bin_of(block->size());
  if (block->next_free != nullptr) {
    block->next_free->previous_free = block->previous_free;
  }
  if (block->previous_free != nullptr) {
    block->previous_free->next_free = block->next_free;
  } else {
    bins_[first][second] = block->next_free;
  }
  if (bins_[first][second] == nullptr) {
    second_map_[first] &= ~(1U << second);
    if (second_map_[first] == 0) {
      first_map_ &= ~(std::uint64_t{1} << first);
    }
  }
  block->word &= ~Block::kFree;
  block->next()->word &= ~Block::kPreviousFree;
  bytes_ -= block->size();
  --blocks_;
}

inline Block* FreeLists::find(std::uint64_t size) const {
  std::uint64_t rounded = size;  // to a list whose blocks all fit
  if (size >= (1U << kLinearBits)) {
    rounded += (std::uint64_t{1} << (static_cast<unsigned>(std::bit_width(size)) - 1 - kSecondBits)) - 1;
  }
  auto [first, second] = bin_of(rounded);
  if (first >= kFirst) {
    return nullptr;
  }
  std::uint32_t seconds = second_map_[first] & (~0U << second);
  if (seconds == 0) {
    const std::uint64_t firsts = first_map_ & (~std::uint64_t{0} << first << 1);
    if (firsts == 0) {
      return nullptr;
    }
    first = static_cast<unsigned>(std::countr_zero(firsts));
    seconds = second_map_[first];
  }
  return bins_[first][std::countr_zero(seconds)];
}

inline Block* FreeLists::find_among_smaller(std::uint64_t size) const {
  const auto [first, second] = bin_of(size);
  Block* block = bins_[first][second];
  while (block != nullptr && block->size() < size) {
    block = block->next_free;
  }
  return block;
}

template <typename Visit>
void FreeLists::for_each_from(std::uint64_t size, const Visit& visit) const {
  for (unsigned first = bin_of(size).first; first < kFirst; ++first) {
    for (Block* block : bins_[first]) {
      for (; block != nullptr; block = block->next_free) {
        visit(block);
      }
    }
  }
}

}  // namespace weft::shim

// One block of a rank's heap: an 8-byte header in front of the payload, with a seal that detects stray writes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::shim {

// What a heap operation found wrong with the caller's pointer or with the heap's own words.
enum class Fault {
  kNotABlock,   // inside the heap's range, but no block starts there
  kDoubleFree,  // the block is free already
  kCorrupted,   // the header in front of the block was overwritten
  kOverrun,     // the header behind the block was overwritten: a write past the block's end
  kFreeList,    // a free block was written to
};

// word = seal (20 bits) | size (bits 4 to 43, header included) | flags. A block's `previous` lies in the tail of the
// payload before it and counts only while kPreviousFree is set; the two links count only while the block is free. A
// block in the cache (kCached) is linked by `next_free` alone, and its neighbours treat it as used.
struct Block {
  Block* previous;
  std::uint64_t word;
  Block* next_free;
  Block* previous_free;

  static constexpr std::uint64_t kFree = 1;
  static constexpr std::uint64_t kPreviousFree = 2;
  static constexpr std::uint64_t kCached = 4;
  static constexpr std::uint64_t kFlags = 15;
  static constexpr unsigned kSizeBits = 44;
  static constexpr std::uint64_t kSizeMask = ((std::uint64_t{1} << kSizeBits) - 1) & ~kFlags;
  static constexpr std::uint64_t kSealMask = ~((std::uint64_t{1} << kSizeBits) - 1);
  static constexpr std::size_t kHeader = 8;
  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kSmallest = 32;

  // Size and seal of a used block of `size` bytes.
  static constexpr std::uint64_t sealed(std::uint64_t size) {
    return size | (((size ^ 0x57454654) * 0x9E3779B97F4A7C15ULL) & kSealMask);
  }

  std::uint64_t size() const { return word & kSizeMask; }
  bool is_free() const { return (word & kFree) != 0; }
  bool has_seal() const { return (word & ~kFlags) == sealed(size()); }
  void resize(std::uint64_t size) { word = sealed(size) | (word & kFlags); }

  char* begin() { return reinterpret_cast<char*>(this); }
  Block* next() { return reinterpret_cast<Block*>(begin() + size()); }
  void* payload() { return begin() + kAlignment; }
  static Block* of(void* payload) { return reinterpret_cast<Block*>(static_cast<char*>(payload) - kAlignment); }
};

}  // namespace weft::shim

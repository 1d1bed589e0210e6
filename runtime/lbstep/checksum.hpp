// The checksum of checkpoints.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/pages.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Bytes that are processed at a time: they stay in the cache between summing and copying.
constexpr std::size_t kChecksumPiece = std::size_t{256} << 10;

// Four interleaved CRC-32C (Castagnoli), computed by the processor, each over every fourth word: a single one would be
// limited by its latency. A file must be checked with the same pieces with which it was written.
class Checksum {
 public:
  void add(std::span<const std::byte> piece);
  // Also copies the piece, bypassing the caches: other threads see it after copies_are_done().
  void add_and_copy(std::span<const std::byte> piece, std::byte* into);
  static void copies_are_done();
  std::uint32_t value() const;

 private:
  static constexpr std::uint64_t kStart = ~std::uint32_t{0};
  std::array<std::uint64_t, 4> lanes_{kStart, kStart, kStart, kStart};
};

std::uint32_t checksum(std::span<const std::byte> bytes);

// The memory of ranks is summed page by page, so that unchanged pages need not be read again. Calls each(part) with the
// part of the memory on each page.
template <typename Each>
void for_each_page(std::span<const std::byte> memory, const Each& each) {
  while (!memory.empty()) {
    const std::size_t in_page = reinterpret_cast<std::uintptr_t>(memory.data()) % base::kPageBytes;
    const auto part = memory.first(std::min<std::size_t>(memory.size(), base::kPageBytes - in_page));
    each(part);
    memory = memory.subspan(part.size());
  }
}

// The next part of the memory that fits the cache while it is summed and copied. It ends at a page boundary or at the
// end of the memory.
inline std::span<const std::byte> next_piece(std::span<const std::byte> memory) {
  const std::size_t in_page = reinterpret_cast<std::uintptr_t>(memory.data()) % base::kPageBytes;
  return memory.first(std::min(memory.size(), kChecksumPiece - in_page));
}

}  // namespace lbstep
}  // namespace weft::runtime

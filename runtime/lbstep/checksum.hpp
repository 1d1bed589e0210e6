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

// Bytes that are summed at a time: they stay in the cache between the sum and a copy.
constexpr std::size_t kChecksumPiece = std::size_t{256} << 10;

// Four CRC-32C (Castagnoli), which the processor computes, of every fourth word each: one alone would wait for itself.
// A file must be checked with the same pieces as it was written with.
class Checksum {
 public:
  void add(std::span<const std::byte> piece);
  // Copies it too, past the caches: others see it after copies_are_done().
  void add_and_copy(std::span<const std::byte> piece, std::byte* into);
  static void copies_are_done();
  std::uint32_t value() const;

 private:
  static constexpr std::uint64_t kStart = ~std::uint32_t{0};
  std::array<std::uint64_t, 4> lanes_{kStart, kStart, kStart, kStart};
};

std::uint32_t checksum(std::span<const std::byte> bytes);

// Memory of ranks is summed page by page: a page that has not changed need not be read again. Calls each(part) for what
// of the memory lies on each page.
template <typename Each>
void for_each_page(std::span<const std::byte> memory, const Each& each) {
  while (!memory.empty()) {
    const std::size_t in_page = reinterpret_cast<std::uintptr_t>(memory.data()) % base::kPageBytes;
    const auto part = memory.first(std::min<std::size_t>(memory.size(), base::kPageBytes - in_page));
    each(part);
    memory = memory.subspan(part.size());
  }
}

// The next part of the memory that stays in the cache while it is summed and copied; it ends where a page or the memory
// ends.
inline std::span<const std::byte> next_piece(std::span<const std::byte> memory) {
  const std::size_t in_page = reinterpret_cast<std::uintptr_t>(memory.data()) % base::kPageBytes;
  return memory.first(std::min(memory.size(), kChecksumPiece - in_page));
}

}  // namespace lbstep
}  // namespace weft::runtime

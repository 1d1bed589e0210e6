// Divides the memory of ranks into pieces for its checksums.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/checksum.hpp"
#include "base/pages.hpp"

namespace weft::runtime {
inline namespace lbstep {

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
  return memory.first(std::min(memory.size(), base::kChecksumPiece - in_page));
}

}  // namespace lbstep
}  // namespace weft::runtime

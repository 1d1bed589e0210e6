// Pages of memory, as x86-64 has them.
#pragma once

#include <cstdint>

namespace weft::base {

constexpr std::uint64_t kPageBytes = 4096;
constexpr std::uint64_t page_down(std::uint64_t value) { return value & ~(kPageBytes - 1); }
constexpr std::uint64_t page_up(std::uint64_t value) { return page_down(value + kPageBytes - 1); }

}  // namespace weft::base

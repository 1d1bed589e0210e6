// Huge pages: large arrays are faster in them; thousands of small slots would be inflated by them.
#pragma once

#include <cstdint>

namespace weft::image {

// Bytes of a slot below its stack from which on its static variables are asked to be in them.
inline constexpr std::uint64_t kLargeStatics = std::uint64_t{8} << 20;

// The kernel uses them unasked: /sys/kernel/mm/transparent_hugepage/enabled says [always]. Read once.
bool huge_pages_are_automatic();

}  // namespace weft::image

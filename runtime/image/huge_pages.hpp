// Decides where ranks use huge pages: they make large arrays faster, but would inflate thousands of small slots.
#pragma once

#include <cstdint>

namespace weft::image {

// If a slot has at least this many bytes below its stack, huge pages are requested for its static variables.
inline constexpr std::uint64_t kLargeStatics = std::uint64_t{8} << 20;

// True if the kernel uses huge pages unasked: /sys/kernel/mm/transparent_hugepage/enabled says [always]. Read once.
bool huge_pages_are_automatic();

}  // namespace weft::image

// Whether the kernel backs memory with huge pages unasked, which would inflate thousands of sparse slots.
#pragma once

namespace weft::image {

// True if /sys/kernel/mm/transparent_hugepage/enabled says [always]; read once.
bool huge_pages_are_automatic();

}  // namespace weft::image

// Finds the pages that a rank has written: only these move with it, not large zeroed arrays or unused heap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/image/program.hpp"

namespace weft::image {

// The parts of the ranges on pages that exist, in memory or swapped out, without long stretches of zeros in huge pages.
// Everything else there reads as zero. Ascending if the ranges are. The slot's rank must not run meanwhile, unless it
// is the caller.
std::vector<ByteRange> touched_ranges(Slot slot, std::span<const ByteRange> ranges);

// The number of bytes that the rank has written: its slot's pages that exist, in memory or swapped out, and do not
// belong to a file. Any thread, even while the rank runs or leaves. Nothing where the kernel cannot tell in short time
// (before Linux 6.7).
std::optional<std::uint64_t> written_bytes(Slot slot);

}  // namespace weft::image

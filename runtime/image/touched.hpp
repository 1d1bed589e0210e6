// Which pages of a rank have been written: only these travel with it, not large zeroed arrays or fresh heap.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/image/program.hpp"

namespace weft::image {

// The parts of the ranges on pages that exist, in memory or swapped out, without long stretches of zeros in huge pages;
// everything else there reads as zero.
// Ascending, if the ranges are. The slot's rank must not run meanwhile.
std::vector<ByteRange> touched(Slot slot, std::span<const ByteRange> ranges);

// Bytes of the slot's pages that exist, in memory or swapped out, and are not a file's: what the rank has written. Any
// thread, while the rank runs or goes. None where the kernel cannot tell in short time (before Linux 6.7).
std::optional<std::uint64_t> written_bytes(Slot slot);

}  // namespace weft::image

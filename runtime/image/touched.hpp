// Which pages of a rank have been written: only these travel with it, not large zeroed arrays or fresh heap.
#pragma once

#include <span>
#include <vector>

#include "runtime/image/program.hpp"

namespace weft::image {

// The parts of the ranges on pages that exist, in memory or swapped out, without long stretches of zeros in huge pages;
// everything else there reads as zero.
// Ascending, if the ranges are. The slot's rank must not run meanwhile.
std::vector<ByteRange> touched(Slot slot, std::span<const ByteRange> ranges);

}  // namespace weft::image

// Prints lists of numbers as ranges.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::base {

// "0-3,7" for 0, 1, 2, 3, 7; empty for no numbers. REQUIRES: ascending numbers.
std::string number_ranges(std::span<const std::uint32_t> numbers);

}  // namespace weft::base

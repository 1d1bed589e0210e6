// Lists of numbers in few words.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace weft::base {

// "0-3,7" of 0, 1, 2, 3, 7; empty of none. REQUIRES: ascending numbers.
std::string number_ranges(std::span<const std::uint32_t> numbers);

}  // namespace weft::base

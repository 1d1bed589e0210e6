// Random bits that nobody can guess.
#pragma once

#include <cstdint>

namespace weft::base {

// 64 of the kernel's. Throws std::runtime_error where it gives none.
std::uint64_t random_bits();

}  // namespace weft::base

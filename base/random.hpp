// Random bits for secrets, from the kernel.
#pragma once

#include <cstdint>

namespace weft::base {

// 64 bits from getrandom(). Throws std::runtime_error if that fails.
std::uint64_t random_bits();

}  // namespace weft::base

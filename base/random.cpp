#include "base/random.hpp"

#include <sys/random.h>

#include <stdexcept>

namespace weft::base {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    throw std::runtime_error("the system gives no random numbers");
  }
  return bits;
}

}  // namespace weft::base

#include "base/random.hpp"

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace weft::base {

std::uint64_t random_bits() {
  std::uint64_t bits = 0;
  if (::getrandom(&bits, sizeof bits, 0) != sizeof bits) {
    throw std::runtime_error(std::string("the system gives no random numbers (getrandom): ") + std::strerror(errno));
  }
  return bits;
}

}  // namespace weft::base

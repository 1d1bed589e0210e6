#include "base/host_name.hpp"

#include <unistd.h>

#include <array>

namespace weft::base {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? std::string(name.data()) : std::string("localhost");
}

}  // namespace weft::base

#include "runtime/bootstrap/standard_descriptors.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

namespace weft::bootstrap {

void fill_standard_descriptors() {
  for (int descriptor = 0; descriptor <= STDERR_FILENO; ++descriptor) {
    // open() returns the lowest free descriptor, which is this one: the lower ones are open.
    if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF && ::open("/dev/null", O_RDWR) != descriptor) {
      throw std::runtime_error("descriptor " + std::to_string(descriptor) +
                               " is closed, and /dev/null cannot be opened in its place: " + std::strerror(errno));
    }
  }
}

std::string input_identity() {
  struct stat input {};
  if (::fstat(STDIN_FILENO, &input) != 0 || (S_ISCHR(input.st_mode) && input.st_rdev == ::makedev(1, 3))) {
    return {};
  }
  return fmt::format("{} {}", input.st_dev, input.st_ino);
}

}  // namespace weft::bootstrap

// Errors about files of checkpoints, for the user.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace weft::bootstrap {

[[noreturn]] inline void refuse_checkpoint(const std::string& path, const std::string& what) {
  throw std::runtime_error("checkpoint " + path + ": " + what);
}

[[noreturn]] inline void refuse_with_errno(const std::string& path, const char* doing) {
  refuse_checkpoint(path, std::string("cannot ") + doing + ": " + std::strerror(errno));
}

}  // namespace weft::bootstrap

// What is wrong with a file of a checkpoint, for the user.
#pragma once

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace weft::runtime {
inline namespace lbstep {

[[noreturn]] inline void refuse(const std::string& path, const std::string& what) {
  throw std::runtime_error("checkpoint " + path + ": " + what);
}

[[noreturn]] inline void refuse_with_errno(const std::string& path, const char* doing) {
  refuse(path, std::string("cannot ") + doing + ": " + std::strerror(errno));
}

}  // namespace lbstep
}  // namespace weft::runtime

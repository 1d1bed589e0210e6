#include "base/input_file.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace weft::base {
namespace {

const char* kind_of(mode_t mode) {
  switch (mode & S_IFMT) {
    case S_IFDIR:
      return "a folder";
    case S_IFIFO:
      return "a pipe";
    case S_IFSOCK:
      return "a socket";
    default:
      return "a device";
  }
}

}  // namespace

std::string why_unreadable(const std::string& file) {
  struct stat its {};
  if (::stat(file.c_str(), &its) == 0 && !S_ISREG(its.st_mode)) {
    return file + ": expected a regular file, not " + kind_of(its.st_mode);
  }
  return ::access(file.c_str(), R_OK) == 0 ? "" : file + ": cannot be read: " + std::strerror(errno);
}

}  // namespace weft::base

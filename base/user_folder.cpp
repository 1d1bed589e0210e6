#include "base/user_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace weft::base {

std::string user_folder() {
  const char* const runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  std::string folder = runtime != nullptr && *runtime == '/' ? std::string(runtime) + "/weft"
                                                             : "/tmp/weft-" + std::to_string(::geteuid());
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return {};
  }
  struct stat status {};
  const bool is_ours = ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) &&
                       status.st_uid == ::geteuid() && (status.st_mode & 077U) == 0;
  return is_ours ? folder : std::string();
}

}  // namespace weft::base

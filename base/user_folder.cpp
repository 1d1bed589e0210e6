#include "base/user_folder.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <vector>

namespace weft::base {
namespace {

// Empty without the variable.
std::string runtime_folder() {
  const char* const runtime = ::secure_getenv("XDG_RUNTIME_DIR");
  return runtime != nullptr && *runtime == '/' ? std::string(runtime) + "/weft" : std::string();
}

std::string temporary_folder() { return "/tmp/weft-" + std::to_string(::geteuid()); }

bool is_ours_alone(const std::string& folder) {
  struct stat status {};
  return ::lstat(folder.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid() &&
         (status.st_mode & 077U) == 0;
}

}  // namespace

std::string user_folder() {
  std::string folder = runtime_folder();
  if (folder.empty()) {
    folder = temporary_folder();
  }
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return {};
  }
  return is_ours_alone(folder) ? folder : std::string();
}

std::vector<std::string> existing_user_folders() {
  std::vector<std::string> folders{runtime_folder(), temporary_folder()};
  std::erase_if(folders, [](const std::string& folder) { return folder.empty() || !is_ours_alone(folder); });
  return folders;
}

}  // namespace weft::base

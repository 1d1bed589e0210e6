#include "launch/destinations.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

namespace weft::launch {
namespace {

[[noreturn]] void refuse(const std::string& option, const char* what, const std::string& path, int error) {
  throw std::runtime_error(fmt::format("{}: cannot {} {}: {}", option, what, path, std::strerror(error)));
}

void require_file(const std::string& option, const std::string& path) {
  struct stat its {};
  if (::stat(path.c_str(), &its) == 0 && !S_ISREG(its.st_mode) && !S_ISDIR(its.st_mode)) {
    return;  // opening a fifo or a device may wait or do something
  }
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0 && errno == ENOENT) {
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (descriptor < 0 && errno == EEXIST) {
      return;  // a link to a file that does not exist yet: the link must not be removed
    }
    if (descriptor >= 0) {
      ::unlink(path.c_str());
    }
  }
  if (descriptor < 0) {
    refuse(option, "write the file", path, errno);
  }
  ::close(descriptor);
}

}  // namespace

void require_folder(const std::string& option, const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    refuse(option, "make the folder", folder, error.value());
  }
  std::string file = (std::filesystem::path(folder) / ".weft-try-XXXXXX").string();
  const int descriptor = ::mkstemp(file.data());
  if (descriptor < 0) {
    refuse(option, "write to the folder", folder, errno);
  }
  ::unlink(file.c_str());
  ::close(descriptor);
}

void require_destinations(const runtime::JobConfig& job) {
  if (!job.trace.empty()) {
    require_file("--trace", job.trace);
  }
  if (!job.lb_report.empty()) {
    require_file("--lb-report", job.lb_report);
  }
  if (!job.checkpoint.empty()) {
    require_folder("--checkpoint", job.checkpoint);
  }
}

}  // namespace weft::launch

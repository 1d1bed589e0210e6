#include "runtime/bootstrap/folder_lock.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "base/host_name.hpp"
#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

namespace fs = std::filesystem;

constexpr const char* kName = ".weft-lock";

[[noreturn]] void fail(const std::string& path, const char* doing) {
  throw std::runtime_error(fmt::format("checkpoint {}: cannot {}: {}", path, doing, std::strerror(errno)));
}

// The job that holds the lock, as note_holder() has written it; empty if it has not written it yet.
std::string holder(int descriptor) {
  std::array<char, 200> text{};
  const ssize_t got = ::pread(descriptor, text.data(), text.size() - 1, 0);
  const std::string_view line(text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return line.empty() ? "" : fmt::format(" ({})", line.substr(0, line.find('\n')));
}

void note_holder(int descriptor) {
  const std::string line = fmt::format("process {} on {}\n", ::getpid(), base::host_name());
  // For a message only: nothing depends on it.
  if (::ftruncate(descriptor, 0) != 0 || ::pwrite(descriptor, line.data(), line.size(), 0) < 0) {
    return;
  }
}

// O_NONBLOCK: opening a fifo must not wait for its other end.
int open_lock(const std::string& path, FolderLock::For purpose) {
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | kFlags, 0600);
  return descriptor >= 0 || purpose == FolderLock::For::kWriting ? descriptor : ::open(path.c_str(), O_RDONLY | kFlags);
}

// Locks the open file, not the process: the lock ends with the descriptor, and NFS servers support such locks. False
// where the file system has none.
bool lock(int descriptor, FolderLock::For purpose, const std::string& folder) {
  struct flock all {};
  all.l_type = purpose == FolderLock::For::kWriting ? F_WRLCK : F_RDLCK;
  all.l_whence = SEEK_SET;
  if (::fcntl(descriptor, F_OFD_SETLK, &all) == 0) {
    return true;
  }
  if (errno == EAGAIN || errno == EACCES) {
    throw std::runtime_error(
        fmt::format("the folder {} is in use by another job{}: wait for its end, or {}", folder, holder(descriptor),
                    purpose == FolderLock::For::kWriting ? "take another folder" : "copy the folder"));
  }
  return false;
}

}  // namespace

FolderLock::FolderLock(const std::string& folder, For purpose) {
  std::error_code error;
  if (purpose == For::kWriting) {
    fs::create_directories(folder, error);
  }
  struct stat its {};
  if (error || ::stat(folder.c_str(), &its) != 0) {
    errno = error ? error.value() : errno;
    fail(folder, purpose == For::kWriting ? "make the folder" : "find the folder");
  }
  device_ = its.st_dev;
  inode_ = its.st_ino;
  const std::string path = (fs::path(folder) / kName).string();
  descriptor_ = open_lock(path, purpose);
  if (descriptor_ < 0) {
    if (purpose == For::kReading) {
      return;
    }
    fail(path, "open");
  }
  if (::fstat(descriptor_, &its) != 0 || !S_ISREG(its.st_mode)) {
    release();
    throw std::runtime_error(fmt::format("checkpoint {}: it is no regular file", path));
  }
  try {
    if (!lock(descriptor_, purpose, folder)) {
      base::say(fmt::format("weft: the folder {} cannot be locked ({}): see that no other job writes to it\n", folder,
                            std::strerror(errno)));
    } else if (purpose == For::kWriting) {
      note_holder(descriptor_);
    }
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

FolderLock::~FolderLock() { release(); }

void FolderLock::release() {
  if (descriptor_ >= 0) {
    ::close(std::exchange(descriptor_, -1));
  }
}

bool FolderLock::is_of(const std::string& folder) const {
  struct stat its {};
  return ::stat(folder.c_str(), &its) == 0 && its.st_dev == device_ && its.st_ino == inode_;
}

}  // namespace weft::bootstrap

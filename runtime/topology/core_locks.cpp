#include "runtime/topology/core_locks.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace weft::runtime {
inline namespace topology {

CoreLocks::~CoreLocks() {
  for (const int lock : locks_) {
    ::close(lock);
  }
}

std::vector<std::uint32_t> CoreLocks::take(const std::vector<std::uint32_t>& cores, std::size_t count) {
  std::vector<std::uint32_t> taken;
  std::vector<std::uint32_t> others;
  for (const std::uint32_t core : cores) {
    (taken.size() < count && lock(core) ? taken : others).push_back(core);
  }
  taken.insert(taken.end(), others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count - taken.size()));
  return taken;
}

// False only where another job has it: without a folder no job sees another.
bool CoreLocks::lock(std::uint32_t core) {
  if (folder_.empty()) {
    return true;
  }
  const int file = ::open((folder_ + "/core-" + std::to_string(core)).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) {
    return true;
  }
  if (::flock(file, LOCK_EX | LOCK_NB) != 0) {
    ::close(file);
    return false;
  }
  locks_.push_back(file);
  return true;
}

}  // namespace topology
}  // namespace weft::runtime

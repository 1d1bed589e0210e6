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
  constexpr int kMostJobs = 64;  // that see each other on one core
  std::vector<std::uint32_t> taken;
  std::vector<std::uint32_t> left = cores;
  for (int others = 0; others < kMostJobs && taken.size() < count; ++others) {
    std::erase_if(left, [&](std::uint32_t core) {
      const bool takes = taken.size() < count && lock(core, others);
      if (takes) {
        taken.push_back(core);
      }
      return takes;
    });
  }
  taken.insert(taken.end(), left.begin(), left.begin() + static_cast<std::ptrdiff_t>(count - taken.size()));
  return taken;
}

// Takes lock number `others` of this core: 0 is for the first job there, 1 for a second one, and so on. False only
// where another job has it. True, without a lock, where there is no folder or the file cannot be opened.
bool CoreLocks::lock(std::uint32_t core, int others) {
  if (folder_.empty()) {
    return true;
  }
  const std::string place = std::to_string(core) + (others == 0 ? "" : "." + std::to_string(others));
  const int file = ::open((folder_ + "/core-" + place).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
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

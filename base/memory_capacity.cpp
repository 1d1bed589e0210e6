#include "base/memory_capacity.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>

namespace weft::base {

// /proc/meminfo counts in KiB.
MemoryCapacity host_memory() {
  MemoryCapacity room;
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  std::string unit;
  while (file >> name >> kib && std::getline(file, unit)) {
    if (name == "MemTotal:") {
      room.total = kib << 10;
    } else if (name == "MemAvailable:") {
      room.available = kib << 10;
    }
  }
  return room;
}

MemoryCapacity cgroup_memory() {
  constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();
  std::string group;
  std::ifstream groups("/proc/self/cgroup");
  while (std::getline(groups, group) && !group.starts_with("0::")) {
  }
  const std::string folder = "/sys/fs/cgroup" + (group.starts_with("0::") ? group.substr(3) : std::string());
  std::uint64_t most = 0;
  std::uint64_t now = 0;
  if (!(std::ifstream(folder + "/memory.max") >> most) || !(std::ifstream(folder + "/memory.current") >> now)) {
    return {kUnbounded, kUnbounded};  // "max", or no such file
  }
  return {most, most > now ? most - now : 0};
}

// Without a stream, since ranks with small stacks call this too.
std::uint64_t private_memory() {
  std::array<char, 128> text{};
  const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  const ssize_t got = descriptor < 0 ? -1 : ::read(descriptor, text.data(), text.size() - 1);
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  char* rest = text.data();
  std::array<std::uint64_t, 3> pages{};  // in all, in memory, of files and shared
  for (std::uint64_t& count : pages) {
    count = got <= 0 ? 0 : std::strtoull(rest, &rest, 10);
  }
  const std::uint64_t own = pages[1] - std::min(pages[1], pages[2]);
  return own * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace weft::base

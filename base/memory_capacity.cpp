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

namespace {

// Bytes of the group's memory that hold contents of files: the kernel takes them back before the group is out of
// memory.
std::uint64_t cached_bytes(const std::filesystem::path& group) {
  std::ifstream statistics(group / "memory.stat");
  std::uint64_t bytes = 0;
  std::uint64_t value = 0;
  for (std::string name; statistics >> name >> value;) {
    bytes += name == "inactive_file" || name == "active_file" ? value : 0;
  }
  return bytes;
}

}  // namespace

MemoryCapacity cgroup_memory(const ControlGroupFiles& files) {
  constexpr std::uint64_t kUnbounded = std::numeric_limits<std::uint64_t>::max();
  MemoryCapacity least{kUnbounded, kUnbounded};
  for (const ControlGroup& group : control_groups("memory", files)) {
    std::uint64_t most = 0;
    std::uint64_t now = 0;
    // The first one is no number, but "max", where the group has no limit.
    if (std::ifstream(group.folder / "memory.max") >> most && std::ifstream(group.folder / "memory.current") >> now) {
      now -= std::min(now, cached_bytes(group.folder));
      const MemoryCapacity its{most, most > now ? most - now : 0};
      least = its.available < least.available ? its : least;
    }
  }
  return least;
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

#include "runtime/p2p/unexpected_memory.hpp"

#include <fstream>
#include <limits>
#include <string>

namespace weft::runtime {
inline namespace p2p {
namespace {

constexpr std::uint64_t kStep = std::uint64_t{16} << 20;  // between two questions to the system
constexpr std::uint64_t kReserve = 10;                    // one part in so many stays free

struct Room {
  std::uint64_t all = 0;
  std::uint64_t left = 0;
};

// The host's: /proc/meminfo counts in KiB.
Room room_of_host() {
  Room room;
  std::ifstream file("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  std::string unit;
  while (file >> name >> kib && std::getline(file, unit)) {
    if (name == "MemTotal:") {
      room.all = kib << 10;
    } else if (name == "MemAvailable:") {
      room.left = kib << 10;
    }
  }
  return room;
}

// That of the control group, version 2, where it has a limit; else no bound.
Room room_of_group() {
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

bool has_room(const Room& room) { return room.left > room.all / kReserve + kStep; }

}  // namespace

bool UnexpectedMemory::take(std::size_t bytes) {
  if (closed_.load(std::memory_order_relaxed)) {
    return false;
  }
  const std::uint64_t taken = taken_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
  const bool fits = most_ == 0 ? taken <= allowed_.load(std::memory_order_relaxed) || ask_system(taken)
                               : taken + static_cast<std::uint64_t>(kCredit) <= most_;
  if (!fits) {
    give(bytes);
  }
  return fits;
}

bool UnexpectedMemory::ask_system(std::uint64_t taken) {
  const bool is_there = has_room(room_of_host()) && has_room(room_of_group());
  if (is_there) {
    allowed_.store(taken + kStep, std::memory_order_relaxed);
  }
  return is_there;
}

}  // namespace p2p
}  // namespace weft::runtime

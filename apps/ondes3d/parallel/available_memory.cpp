#include "parallel/available_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "parallel/decomposition.hpp"

namespace ondes3d {
namespace {

constexpr double kNoLimit = std::numeric_limits<double>::infinity();

// The number behind `name` in a file of lines "name 123 ...", nothing where there is none.
std::optional<double> entry(const std::string& path, const std::string& name) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    double value = 0;
    if (words >> first >> value && first == name) {
      return value;
    }
  }
  return std::nullopt;
}

std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double value = 0;
  return file >> value ? std::optional(value) : std::nullopt;  // "max" is no number
}

// Names of the files in a group's folder.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* reclaimable;  // of memory.stat
};
constexpr GroupFiles kVersion1{"/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_inactive_file"};
constexpr GroupFiles kVersion2{"/memory.max", "/memory.current", "inactive_file"};

double memory_left_in_group(const std::string& folder, const GroupFiles& files) {
  const auto limit = number_in(folder + files.limit);
  const auto used = number_in(folder + files.used);
  if (!limit || !used) {
    return kNoLimit;
  }
  return std::max(0.0, *limit - *used + entry(folder + "/memory.stat", files.reclaimable).value_or(0));
}

// Of a group and those around it, up to the root of what is mounted.
double memory_left_in_group_and_above(const std::string& mount, std::string group, const GroupFiles& files) {
  double room = memory_left_in_group(mount, files);
  for (; group.size() > 1; group.resize(group.find_last_of('/'))) {
    room = std::min(room, memory_left_in_group(mount + group, files));
  }
  return room;
}

double limit_of(int resource, const char* used) {
  struct rlimit limit {};
  if (getrlimit(static_cast<decltype(RLIMIT_AS)>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return kNoLimit;
  }
  const double kilobytes = entry("/proc/self/status", used).value_or(0);
  return std::max(0.0, static_cast<double>(limit.rlim_cur) - 1024 * kilobytes);
}

std::string in_gigabytes(double bytes) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3g GB", bytes / 1e9);
  return text.data();
}

// What several ranks need together, and what there is for them.
struct Shared {
  double need = 0;
  double room = kNoLimit;
};

void keep_tighter(std::pair<std::string, Shared>& worst, const std::string& where, const Shared& shared) {
  if (shared.need > shared.room &&
      (worst.first.empty() || shared.room / shared.need < worst.second.room / worst.second.need)) {
    worst = {where, shared};
  }
}

}  // namespace

double memory_left_in_groups(const std::string& groups, const std::string& mount) {
  std::ifstream file(groups);
  double room = kNoLimit;
  for (std::string line; std::getline(file, line);) {  // "4:memory:/path", "0::/path"
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      room = std::min(room, memory_left_in_group_and_above(mount, group, kVersion2));
    } else if (controllers.find(",memory,") != std::string::npos) {
      room = std::min(room, memory_left_in_group_and_above(mount + "/memory", group, kVersion1));
    }
  }
  return room;
}

AvailableMemory available_memory_here(const std::string& host, bool weft) {
  AvailableMemory room;
  host.copy(room.host.data(), room.host.size() - 1);
  room.process = getpid();
  const auto free = entry("/proc/meminfo", "MemAvailable:");
  const double swap = entry("/proc/meminfo", "SwapFree:").value_or(0);
  room.on_host = memory_left_in_groups("/proc/self/cgroup", "/sys/fs/cgroup");
  if (free) {
    room.on_host = std::min(room.on_host, 1024 * (*free + swap));
  }
  room.in_process = limit_of(RLIMIT_DATA, "VmData:");
  if (!weft) {
    room.in_process = std::min(room.in_process, limit_of(RLIMIT_AS, "VmSize:"));
  }
  return room;
}

std::string shortage(const std::vector<AvailableMemory>& available, const std::vector<double>& needs,
                     const Index3& cells) {
  std::map<std::string, Shared> hosts;
  std::map<std::pair<std::string, long long>, Shared> processes;
  for (std::size_t n = 0; n < available.size(); ++n) {
    const std::string host = available[n].host.data();
    for (const auto& [shared, room] : {std::pair{&hosts[host], available[n].on_host},
                                       {&processes[{host, available[n].process}], available[n].in_process}}) {
      shared->need += needs[n];
      shared->room = std::min(shared->room, room);
    }
  }
  std::pair<std::string, Shared> worst;
  for (const auto& [host, shared] : hosts) {
    keep_tighter(worst, "on " + host + ", which has " + in_gigabytes(shared.room) + " free", shared);
  }
  for (const auto& [process, shared] : processes) {
    keep_tighter(
        worst, "in a process on " + process.first + ", whose limits (ulimit -d, -v) leave " + in_gigabytes(shared.room),
        shared);
  }
  if (worst.first.empty()) {
    return {};
  }
  const double share = std::cbrt(worst.second.room / worst.second.need);
  Index3 fits{};
  for (std::size_t d = 0; d < 3; ++d) {
    fits[d] = static_cast<int>(share * cells[d] + 1e-6);
  }
  return "a grid of " + times(cells) + " cells, CPML included, takes " + in_gigabytes(worst.second.need) + " " +
         worst.first + ": about " + times(fits) + " would fit; take larger cells (<ds>) or more machines";
}

}  // namespace ondes3d

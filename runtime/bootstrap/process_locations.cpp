#include "runtime/bootstrap/process_locations.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <string>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "runtime/bootstrap/standard_descriptors.hpp"

namespace weft::bootstrap {
namespace {

constexpr const char* kHostKey = "weft.host";
constexpr const char* kCoresKey = "weft.cores";
constexpr const char* kInputKey = "weft.input";
constexpr const char* kNoInput = "none";  // a value: some launchers take no empty ones
constexpr const char* kWorkersKey = "weft.workers";

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::string link_target(const char* path) {
  std::array<char, 256> target{};
  const ssize_t bytes = ::readlink(path, target.data(), target.size() - 1);
  return bytes > 0 ? std::string(target.data()) : std::string();
}

std::string host_identity() {
  std::string identity = first_line("/proc/sys/kernel/random/boot_id");
  for (const char* space : {"/proc/self/ns/net", "/proc/self/ns/pid", "/proc/self/ns/ipc"}) {
    identity += " " + link_target(space);
  }
  return identity;
}

// The cores this process may run on, as text.
std::string core_mask() {
  constexpr std::size_t kMostCores = 16384;
  constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);
  std::array<unsigned long, kMostCores / kWordBits> mask{};
  ::sched_getaffinity(0, sizeof mask, reinterpret_cast<cpu_set_t*>(mask.data()));
  return core_mask_text(mask);
}

}  // namespace

std::string core_mask_text(std::span<const unsigned long> mask) {
  while (!mask.empty() && mask.back() == 0) {
    mask = mask.first(mask.size() - 1);
  }
  return fmt::format("{:x}", fmt::join(mask, " "));
}

ProcessLocations locate_processes(Bootstrap& bootstrap) {
  const auto mask = core_mask();
  const std::string input = input_identity();
  bootstrap.put(kInputKey, input.empty() ? kNoInput : input);
  bootstrap.put(kHostKey, host_identity());
  bootstrap.put(kCoresKey, mask);
  bootstrap.fence();
  ProcessLocations found;
  std::map<std::string, std::uint32_t> numbers;
  for (const std::string& host : bootstrap.get_all(kHostKey)) {
    const auto [place, fresh] = numbers.emplace(host, static_cast<std::uint32_t>(numbers.size()));
    found.host_of.push_back(place->second);
  }
  const auto me = number(bootstrap.process());
  found.hosts = static_cast<std::uint32_t>(numbers.size());
  found.host = found.host_of[me];
  const std::string first_input = bootstrap.get(ProcessId{}, kInputKey);
  found.has_input = first_input == kNoInput || (found.host == 0 && first_input == input);
  found.local_count = found.share_count = 0;
  const std::vector<std::string> masks = bootstrap.get_all(kCoresKey);
  for (std::uint32_t i = 0; i < bootstrap.processes(); ++i) {
    if (found.host_of[i] != found.host) {
      continue;
    }
    const bool shares = i == me || masks[i] == mask;
    found.local_index += i < me ? 1 : 0;
    found.share_index += i < me && shares ? 1 : 0;
    ++found.local_count;
    found.share_count += shares ? 1 : 0;
  }
  return found;
}

WorkerShare share_workers(Bootstrap& bootstrap, std::optional<std::uint32_t> total, std::uint32_t own) {
  const auto me = number(bootstrap.process());
  const auto processes = bootstrap.processes();
  if (total) {
    const auto all = std::max(*total, processes);
    bootstrap.fence();
    return {all / processes + (me < all % processes ? 1 : 0), me * (all / processes) + std::min(me, all % processes),
            all};
  }
  bootstrap.put(kWorkersKey, std::to_string(std::max(own, 1U)));
  bootstrap.fence();
  WorkerShare share{std::max(own, 1U), 0, 0};
  const std::vector<std::string> counts = bootstrap.get_all(kWorkersKey);
  for (std::uint32_t i = 0; i < processes; ++i) {
    const auto count = static_cast<std::uint32_t>(std::stoul(counts[i]));
    share.first += i < me ? count : 0;
    share.total += count;
  }
  return share;
}

}  // namespace weft::bootstrap

#include "runtime/placement/process_changes.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace weft::placement {
namespace {

// How many processes each host has. Hosts in the order of their first process.
std::vector<std::pair<std::string, std::uint32_t>> counts_of(const NextProcesses& processes) {
  std::vector<std::pair<std::string, std::uint32_t>> counts;
  for (const auto& process : processes) {
    const auto its = std::ranges::find(counts, process.host, &std::pair<std::string, std::uint32_t>::first);
    if (its == counts.end()) {
      counts.emplace_back(process.host, 1);
    } else {
      ++its->second;
    }
  }
  return counts;
}

constexpr auto kCount = &std::pair<std::string, std::uint32_t>::second;

// How many ranks each process is to have. The remainder goes to the processes that exceed their part most, so that
// fewer ranks move.
std::vector<std::uint32_t> parts_of(const std::vector<std::uint32_t>& counts, const JobShape& shape) {
  const std::uint64_t workers = std::accumulate(shape.workers.begin(), shape.workers.end(), std::uint64_t{0});
  const std::uint64_t ranks = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  std::vector<std::uint32_t> parts;
  for (const std::uint32_t its : shape.workers) {
    parts.push_back(static_cast<std::uint32_t>(ranks * its / workers));
  }
  std::vector<std::uint32_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater(), [&](std::uint32_t process) {
    return std::int64_t{counts[process]} - std::int64_t{parts[process]};
  });
  std::uint64_t left = ranks - std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
  for (auto process = order.begin(); left != 0; --left, ++process) {
    ++parts[*process];
  }
  return parts;
}

}  // namespace

NextProcesses with_count(NextProcesses now, std::uint32_t count) {
  const std::uint32_t workers = now.front().workers;
  while (now.size() > count) {
    const auto counts = counts_of(now);
    // Among equals the last one.
    const std::string host = std::max_element(counts.rbegin(), counts.rend(), [](const auto& a, const auto& b) {
                               return a.second < b.second;
                             })->first;
    const auto last = std::find_if(now.rbegin(), now.rend(), [&](const auto& process) { return process.host == host; });
    now.erase(std::next(last).base());
  }
  while (now.size() < count) {
    const auto counts = counts_of(now);
    now.push_back({.host = std::ranges::min_element(counts, {}, kCount)->first, .workers = workers, .before = {}});
  }
  return now;
}

NextProcesses with_more(NextProcesses now, const std::string& host, std::uint32_t count) {
  const std::uint32_t workers = now.front().workers;
  now.insert(now.end(), count, {.host = host, .workers = workers, .before = {}});
  return now;
}

NextProcesses without_host(NextProcesses now, const std::string& host) {
  std::erase_if(now, [&](const auto& process) { return process.host == host; });
  return now;
}

NextProcesses without_processes(NextProcesses now, const std::vector<std::uint32_t>& leaving) {
  std::erase_if(now, [&](const auto& process) {
    return process.before && std::ranges::find(leaving, *process.before) != leaving.end();
  });
  return now;
}

std::vector<std::uint32_t> evened_out(std::vector<std::uint32_t> processes, const JobShape& shape) {
  std::vector<std::uint32_t> counts(shape.workers.size());
  for (const std::uint32_t process : processes) {
    ++counts.at(process);
  }
  const std::vector<std::uint32_t> parts = parts_of(counts, shape);
  // The last ranks of a process that has too many leave it.
  std::vector<std::uint32_t> kept(counts.size());
  std::uint32_t to = 0;
  for (std::uint32_t& process : processes) {
    if (kept[process] < parts[process]) {
      ++kept[process];
      continue;
    }
    while (counts[to] >= parts[to]) {
      ++to;
    }
    ++counts[to];
    process = to;
  }
  return processes;
}

}  // namespace weft::placement

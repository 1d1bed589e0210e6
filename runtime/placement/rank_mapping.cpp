#include "runtime/placement/rank_mapping.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>

#include "base/options.hpp"

namespace weft::placement {
namespace {

using base::OptionError;

constexpr std::uint32_t kMostPerUnit = 1'000'000;
constexpr std::string_view kUseInstead = "use slot, node, process or worker, and --bind-to for cores";

std::optional<Unit> unit_of(std::string_view name) {
  if (name == "slot" || name == "core" || name == "hwthread") {
    return Unit::slot;
  }
  if (name == "worker") {
    return Unit::worker;
  }
  if (name == "process") {
    return Unit::process;
  }
  return name == "node" ? std::optional(Unit::node) : std::nullopt;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  });
  return result;
}

std::string_view name_of(Unit unit) {
  switch (unit) {
    case Unit::slot:
    case Unit::worker:
      return "worker";
    case Unit::process:
      return "process";
    case Unit::node:
      return "node";
  }
  return "";
}

void read_modifier(std::string_view word, MappingPolicy& policy) {
  if (word == "oversubscribe" || word == "nooversubscribe") {
    policy.may_oversubscribe = word == "oversubscribe";
  } else if (word.starts_with("pe=")) {
    throw OptionError(
        "--map-by: PE=N has no meaning here: a rank runs on one worker; --host HOST:N and --processes "
        "say how many workers a process has");
  } else {
    throw OptionError("--map-by: the modifier '" + std::string(word) +
                      "' is not known; expected oversubscribe or nooversubscribe");
  }
}

// ppr:N:UNIT. Returns how many words it took.
std::size_t read_ppr(const std::vector<std::string_view>& words, MappingPolicy& policy) {
  std::uint32_t count = 0;
  const auto unit = unit_of(words.size() > 2 ? words[2] : std::string_view());
  const std::string_view number = words.size() > 1 ? words[1] : std::string_view();
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), count);
  if (error != std::errc() || end != number.data() + number.size() || count == 0 || count > kMostPerUnit || !unit) {
    throw OptionError("--map-by: expected ppr:N:node, ppr:N:process or ppr:N:worker, N from 1 to 1000000");
  }
  policy.map = *unit == Unit::slot ? Unit::worker : *unit;
  policy.per_unit = count;
  return 3;
}

using Groups = std::vector<std::vector<std::uint32_t>>;  // the workers of each unit

std::uint32_t worker_count(const JobShape& shape) {
  return std::accumulate(shape.workers.begin(), shape.workers.end(), std::uint32_t{0});
}

Groups groups_of(Unit unit, const JobShape& shape) {
  Groups groups;
  std::uint32_t worker = 0;
  for (std::size_t p = 0; p < shape.workers.size(); ++p) {
    std::size_t group = unit == Unit::process ? p : shape.hosts.empty() ? 0 : shape.hosts[p];
    for (std::uint32_t w = 0; w < shape.workers[p]; ++w, ++worker) {
      group = unit == Unit::worker ? worker : unit == Unit::slot ? 0 : group;
      groups.resize(std::max(groups.size(), group + 1));
      groups[group].push_back(worker);
    }
  }
  return groups;
}

// How many of `ranks` each group gets.
std::vector<std::uint32_t> fill_in_order(const MappingPolicy& policy, const Groups& groups, std::uint32_t ranks) {
  std::vector<std::uint32_t> counts(groups.size());
  std::uint32_t left = ranks;
  for (std::uint32_t& count : counts) {
    count = std::min(policy.per_unit, left);
    left -= count;
  }
  if (left > 0) {
    const std::string unit(name_of(policy.map));
    throw OptionError(std::to_string(ranks) + " ranks do not fit: " + std::to_string(policy.per_unit) + " on each " +
                      unit + " are " + std::to_string(ranks - left));
  }
  return counts;
}

// The same without policy.per_unit: groups get a rank (or policy.in_turn ranks) in turn. While all ranks have a worker
// of their own, a full group gets none.
std::vector<std::uint32_t> deal(const MappingPolicy& policy, const Groups& groups, std::uint32_t ranks,
                                std::uint32_t workers) {
  std::vector<std::uint32_t> counts(groups.size());
  const bool have_room = ranks <= workers && policy.in_turn == 0;
  std::size_t group = 0;
  for (std::uint32_t left = ranks; left > 0; group = (group + 1) % groups.size()) {
    if (groups[group].empty() || (have_room && counts[group] == groups[group].size())) {
      continue;
    }
    const std::uint32_t now = std::min(std::max(policy.in_turn, std::uint32_t{1}), left);
    counts[group] += now;
    left -= now;
  }
  return counts;
}

// Repeats each worker's number as often as it has ranks. Group g has `counts[g]` ranks, in blocks over its workers.
Groups fill_workers(const Groups& groups, const std::vector<std::uint32_t>& counts) {
  Groups filled(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const std::uint64_t size = groups[g].size();
    for (std::uint64_t w = 0; w < size; ++w) {
      filled[g].insert(filled[g].end(), (w + 1) * counts[g] / size - w * counts[g] / size, groups[g][w]);
    }
  }
  return filled;
}

// Numbers ranks: each group in turn gives its next `at_a_time` places.
std::vector<std::uint32_t> number_in_turn(const Groups& places, std::uint32_t ranks, std::uint32_t at_a_time) {
  std::vector<std::uint32_t> workers;
  workers.reserve(ranks);
  std::vector<std::size_t> next(places.size());
  for (std::size_t group = 0; workers.size() < ranks; group = (group + 1) % places.size()) {
    for (std::uint32_t i = 0; i < at_a_time && next[group] < places[group].size(); ++i) {
      workers.push_back(places[group][next[group]++]);
    }
  }
  return workers;
}

// Regroups the same places by `unit`.
Groups regroup(const Groups& places, Unit unit, const JobShape& shape) {
  const Groups groups = groups_of(unit, shape);
  std::vector<std::size_t> group_of(worker_count(shape));
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const std::uint32_t worker : groups[g]) {
      group_of[worker] = g;
    }
  }
  Groups regrouped(groups.size());
  for (const auto& group : places) {
    for (const std::uint32_t worker : group) {
      regrouped[group_of[worker]].push_back(worker);
    }
  }
  std::ranges::for_each(regrouped, [](auto& group) { std::ranges::sort(group); });
  return regrouped;
}

}  // namespace

void read_map_by(std::string_view text, MappingPolicy& policy) {
  if (text.empty()) {
    return;
  }
  const std::string folded = lower(text);
  const auto words = base::split_words(folded, ':');
  std::size_t next = 0;
  if (!words.empty() && words[0] == "ppr") {
    next = read_ppr(words, policy);
  } else if (!words.empty() && !folded.starts_with(':')) {
    const auto unit = unit_of(words[0]);
    if (!unit) {
      throw OptionError("--map-by: ranks are not mapped by '" + std::string(words[0]) +
                        "': " + std::string(kUseInstead));
    }
    policy.map = *unit;
    next = 1;
  }
  for (; next < words.size(); ++next) {
    for (const std::string_view word : base::split_words(words[next], ',')) {
      read_modifier(word, policy);
    }
  }
}

void read_rank_by(std::string_view text, MappingPolicy& policy) {
  if (text.empty()) {
    return;
  }
  policy.rank = unit_of(lower(text));
  if (!policy.rank) {
    throw OptionError("--rank-by: ranks are not numbered by '" + std::string(text) +
                      "': use slot, node, process or worker");
  }
}

std::uint32_t full_ranks(const MappingPolicy& policy, const JobShape& shape) {
  const std::uint64_t ranks = std::uint64_t{policy.per_unit} * groups_of(policy.map, shape).size();
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(ranks, std::numeric_limits<std::uint32_t>::max()));
}

std::vector<std::uint32_t> place_in_processes(const std::vector<std::uint32_t>& processes, const JobShape& shape) {
  std::vector<std::uint32_t> first(shape.workers.size());
  std::exclusive_scan(shape.workers.begin(), shape.workers.end(), first.begin(), std::uint32_t{0});
  std::vector<std::uint32_t> counts(shape.workers.size());
  for (const std::uint32_t process : processes) {
    ++counts.at(process);
  }
  std::vector<std::uint32_t> placed(shape.workers.size());
  std::vector<std::uint32_t> workers;
  for (const std::uint32_t process : processes) {
    const std::uint64_t before = placed[process]++;
    workers.push_back(first[process] + static_cast<std::uint32_t>(before * shape.workers[process] / counts[process]));
  }
  return workers;
}

std::vector<std::uint32_t> place_ranks(const MappingPolicy& policy, const JobShape& shape, std::uint32_t ranks) {
  const std::uint32_t workers = worker_count(shape);
  if (!policy.may_oversubscribe && ranks > workers) {
    throw OptionError(std::to_string(ranks) + " ranks are more than the " + std::to_string(workers) +
                      " workers, and --nooversubscribe (or nooversubscribe in --map-by) forbids that");
  }
  // With as many ranks as processes, each process gets one, even if another has more workers.
  const bool one_each = policy.fills_slots() && ranks == shape.workers.size();
  const Groups groups = groups_of(one_each ? Unit::process : policy.map, shape);
  const auto counts =
      policy.per_unit != 0 ? fill_in_order(policy, groups, ranks) : deal(policy, groups, ranks, workers);
  const Groups places = fill_workers(groups, counts);
  const Unit by = policy.rank.value_or(policy.per_unit != 0 ? Unit::slot : policy.map);
  const bool deals = !policy.rank && policy.in_turn != 0;
  return number_in_turn(regroup(places, by, shape), ranks, by == Unit::slot ? ranks : deals ? policy.in_turn : 1);
}

}  // namespace weft::placement

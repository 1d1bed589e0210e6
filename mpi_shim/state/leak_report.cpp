#include "mpi_shim/state/leak_report.hpp"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

namespace weft::mpi_shim {
inline namespace state {

void LeakReport::add(int rank, const std::vector<Leak>& leaks, CallSites* sites) {
  std::uint32_t at = 0;
  for (const Leak& leak : leaks) {
    const std::uintptr_t caller = leak.made_by.caller;
    const std::string place = sites != nullptr && caller != 0 ? sites->name(caller) : "";
    Group group;
    group.first = {rank, at++};
    group.counts[rank] = 1;
    if (!leak.name.empty()) {
      group.names.insert(leak.name);
    }
    if (leak.message) {
      group.bytes.insert(static_cast<std::int64_t>(leak.message->bytes));
      group.peers.insert(leak.message->peer);
      group.tags.insert(leak.message->tag);
      group.is_sent = leak.message->is_sent;
    }
    merge({leak.what, leak.made_by.call, place}, group);
  }
}

void LeakReport::merge(const Key& key, Group& group) {
  const auto [place, is_new] = groups_.try_emplace(key, group);
  if (is_new) {
    return;
  }
  Group& whole = place->second;
  whole.first = std::min(whole.first, group.first);
  for (const auto& [rank, count] : group.counts) {
    whole.counts[rank] += count;
  }
  whole.names.merge(group.names);
  whole.bytes.merge(group.bytes);
  whole.peers.merge(group.peers);
  whole.tags.merge(group.tags);
}

void LeakReport::merge(LeakReport&& other) {
  for (auto& [key, group] : other.groups_) {
    merge(key, group);
  }
}

void LeakReport::find_lines(CallSites& sites) {
  std::vector<std::string> names;
  for (const auto& [key, group] : groups_) {
    names.push_back(key.place);
  }
  const std::vector<std::string> lines = sites.lines(names);
  std::map<Key, Group> before = std::exchange(groups_, {});
  std::size_t at = 0;
  for (auto& [key, group] : before) {
    merge({key.what, key.call, lines[at++]}, group);
  }
}

// "rank 3", "ranks 0-3, 7", "any rank"; of many ranges the first ones and the last value.
std::string LeakReport::list(const Values& values, const char* what) {
  constexpr int kMostRanges = 8;
  if (*values.begin() < 0) {
    return fmt::format("any {}", what);
  }
  std::string text = fmt::format("{}{}", what, values.size() == 1 ? "" : "s");
  int ranges = 0;
  for (auto value = values.begin(); value != values.end();) {
    const std::int64_t first = *value;
    std::int64_t last = first;
    while (++value != values.end() && *value == last + 1) {
      last = *value;
    }
    text += fmt::format("{} {}", ranges == 0 ? "" : ",", first);
    if (last > first) {
      text += fmt::format("-{}", last);
    }
    if (++ranges == kMostRanges && value != values.end()) {
      return fmt::format("{}, ..., {}", text, *values.rbegin());
    }
  }
  return text;
}

namespace {

// "a, b, c and 9 more"
std::string some_of(const std::set<std::string>& names) {
  constexpr std::size_t kMostNames = 3;
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown == kMostNames) {
      return fmt::format("{} and {} more", text, names.size() - shown);
    }
    text += fmt::format("{}{}", shown++ == 0 ? "" : ", ", name);
  }
  return text;
}

// " (9 on each rank, 144 in all)"; empty for one on each.
std::string count_text(const std::map<int, std::uint64_t>& counts) {
  std::uint64_t all = 0;
  bool are_equal = true;
  for (const auto& [rank, count] : counts) {
    all += count;
    are_equal &= count == counts.begin()->second;
  }
  if (all == counts.size()) {
    return "";
  }
  const bool says_each = are_equal && counts.size() > 1;
  return says_each ? fmt::format(" ({} on each rank, {} in all)", all / counts.size(), all)
                   : fmt::format(" ({} in all)", all);
}

}  // namespace

std::string LeakReport::line(const Key& key, const Group& group) {
  Values ranks;
  for (const auto& [rank, count] : group.counts) {
    ranks.insert(rank);
  }
  std::string text = fmt::format("weft: {}: {}", list(ranks, "rank"), key.what);
  if (!key.call.empty()) {
    text += fmt::format(": {}", key.call);
  }
  if (!key.place.empty()) {
    text += fmt::format(" at {}", key.place);
  }
  if (!group.names.empty()) {
    text += fmt::format(", {}", some_of(group.names));
  }
  if (!group.peers.empty()) {
    const std::int64_t least = *group.bytes.begin();
    const std::int64_t most = *group.bytes.rbegin();
    text += fmt::format(", {}{} bytes {} {}, {}", least, least == most ? "" : fmt::format("-{}", most),
                        group.is_sent ? "to" : "from", list(group.peers, "rank"), list(group.tags, "tag"));
  }
  return text + count_text(group.counts) + "\n";
}

std::string LeakReport::text() const {
  std::map<std::pair<int, std::uint32_t>, const std::pair<const Key, Group>*> sorted;
  for (const auto& one : groups_) {
    sorted.emplace(one.second.first, &one);
  }
  std::string text;
  for (const auto& [first, one] : sorted) {
    text += line(one->first, one->second);
  }
  return text;
}

}  // namespace state
}  // namespace weft::mpi_shim

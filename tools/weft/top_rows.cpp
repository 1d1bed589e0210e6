#include "tools/weft/top_rows.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;
using inspect::RankRange;
using By = SortKey::By;

constexpr std::array<SortKey, 9> kSortKeys{{{By::cpu, "cpu", 'c'},
                                            {By::rank, "rank", 'r'},
                                            {By::worker, "worker", 'w'},
                                            {By::state, "state", 's'},
                                            {By::call, "call", 'l'},
                                            {By::messages, "messages", 'm'},
                                            {By::bytes, "bytes", 'b'},
                                            {By::memory, "memory", 'y'},
                                            {By::moves, "moves", 'v'}}};

constexpr std::array<Activity, 5> kStates{Activity::waits, Activity::ready, Activity::computes, Activity::blocked,
                                          Activity::moves};

std::string to_lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

// Makes ranks of unknown size come last.
double memory_of(const RankRow& rank) {
  return rank.memory == inspect::RankCounters::kUnknown ? -1 : static_cast<double>(rank.memory);
}

template <typename Value>
void sort_by(std::vector<RankRow>& ranks, bool smallest_first, Value&& value) {
  std::ranges::sort(ranks, [&](const RankRow& a, const RankRow& b) {
    const auto& of_a = value(a);
    const auto& of_b = value(b);
    return of_a == of_b ? a.rank < b.rank : (of_a < of_b) == smallest_first;
  });
}

std::uint32_t parse_number(std::string_view text, std::string_view word) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) {
    throw std::runtime_error(fmt::format("'{}': expected numbers such as 0-3,7", word));
  }
  return number;
}

std::vector<RankRange> parse_ranges(std::string_view text, std::string_view word) {
  std::vector<RankRange> ranges;
  for (bool more = true; more;) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    more = comma != std::string_view::npos;
    text.remove_prefix(more ? comma + 1 : text.size());
    const std::size_t dash = part.find('-');
    const std::uint32_t first = parse_number(part.substr(0, dash), word);
    ranges.emplace_back(first, dash == std::string_view::npos ? first : parse_number(part.substr(dash + 1), word));
  }
  return ranges;
}

Activity parse_state(std::string_view name) {
  for (const Activity state : kStates) {
    if (name_of(state) == name) {
      return state;
    }
  }
  throw std::runtime_error(fmt::format("'{}' is no state: expected waits, ready, computes, blocked or moves", name));
}

bool is_in(const std::vector<RankRange>& ranges, std::uint32_t number) {
  return ranges.empty() ||
         std::ranges::any_of(ranges, [&](const RankRange& it) { return it.first <= number && number <= it.second; });
}

}  // namespace

std::span<const SortKey> sort_keys() { return kSortKeys; }

By parse_sort_key(std::string_view name) {
  std::string known;
  for (const SortKey& key : kSortKeys) {
    if (key.name == name) {
      return key.by;
    }
    known += fmt::format("{}{}", known.empty() ? "" : ", ", key.name);
  }
  throw std::runtime_error(fmt::format("cannot sort by '{}': expected one of {}", name, known));
}

void sort_ranks(std::vector<RankRow>& ranks, By by, bool reverse) {
  switch (by) {
    case By::rank:
      return sort_by(ranks, !reverse, [](const RankRow& it) { return it.rank; });
    case By::worker:
      return sort_by(ranks, !reverse, [](const RankRow& it) { return it.worker; });
    case By::state:
      return sort_by(ranks, !reverse, [](const RankRow& it) { return name_of(it.activity); });
    case By::call:
      return sort_by(ranks, !reverse, [](const RankRow& it) { return std::string_view(it.call); });
    case By::messages:
      return sort_by(ranks, reverse, [](const RankRow& it) { return it.messages; });
    case By::bytes:
      return sort_by(ranks, reverse, [](const RankRow& it) { return it.bytes; });
    case By::memory:
      return sort_by(ranks, reverse, memory_of);
    case By::moves:
      return sort_by(ranks, reverse, [](const RankRow& it) { return it.moves; });
    default:
      return sort_by(ranks, reverse, [](const RankRow& it) { return it.cpu; });
  }
}

bool RankFilter::passes(const RankRow& rank) const {
  return is_in(ranks, rank.rank) && is_in(workers, rank.worker) && (!state || *state == rank.activity) &&
         to_lower(rank.call).find(call) != std::string::npos;
}

RankFilter parse_filter(std::string_view text) {
  RankFilter filter;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
    if (text.empty()) {
      return filter;
    }
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(word.size());
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? std::string_view() : word.substr(equals + 1);
    if (name == "rank" && !value.empty()) {
      filter.ranks = parse_ranges(value, word);
    } else if (name == "worker" && !value.empty()) {
      filter.workers = parse_ranges(value, word);
    } else if (name == "state" && !value.empty()) {
      filter.state = parse_state(value);
    } else if (name == "call" && !value.empty()) {
      filter.call = to_lower(value);
    } else {
      throw std::runtime_error(
          fmt::format("'{}' is no filter: expected rank=0-3,7, worker=0-3,7, state=NAME or call=PART", word));
    }
  }
}

}  // namespace weft::tools::weft_tool

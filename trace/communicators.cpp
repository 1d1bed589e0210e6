#include "trace/communicators.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft::trace {
namespace {

std::uint64_t key(std::uint32_t context, std::uint32_t rank) { return std::uint64_t{context} << 32 | rank; }

// More than a job has. Limits the time and memory for a damaged text.
constexpr std::uint64_t kMostRanks = 1U << 24;

// Parses numbers and ranges from `at` on, and moves `at` behind them.
std::vector<std::uint32_t> parse_group(const std::string& text, std::size_t& at) {
  const auto take_number = [&] {
    std::uint64_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = std::min(value * 10 + static_cast<std::uint64_t>(text[at] - '0'), kMostRanks);
    }
    return value;
  };
  std::vector<std::uint32_t> ranks;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    const std::uint64_t first = take_number();
    std::uint64_t last = first;
    if (at < text.size() && text[at] == '-') {
      ++at;
      last = take_number();
    }
    if (last >= kMostRanks || first > last || last - first >= kMostRanks - ranks.size()) {
      throw Error("the trace is damaged: it has a communicator of the ranks " + text.substr(0, 100));
    }
    for (std::uint64_t rank = first; rank <= last; ++rank) {
      ranks.push_back(static_cast<std::uint32_t>(rank));
    }
    at += at < text.size() && text[at] == ',' ? 1 : 0;
  }
  return ranks;
}

}  // namespace

std::string group_text(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t end = i + 1;
    while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) {
      ++end;
    }
    text += (i == 0 ? "" : ",") + std::to_string(ranks[i]);
    if (end - i > 1) {
      text += '-' + std::to_string(ranks[end - 1]);
    }
    i = end;
  }
  return text;
}

void Communicators::define(std::uint32_t context, const std::string& text) {
  const std::string full_text = std::to_string(context) + ' ' + text;
  if (!by_text_.contains(full_text)) {
    std::size_t at = 0;
    Communicator comm;
    comm.group = parse_group(text, at);
    if (at < text.size() && text[at] == '/') {
      comm.other = parse_group(text, ++at);
    }
    comm.name = text.substr(std::min(at + 1, text.size()));
    by_text_[full_text] = static_cast<std::uint32_t>(all_.size());
    all_.push_back(std::move(comm));
  }
  const std::uint32_t number = by_text_[full_text];
  for (const auto* const ranks : {&all_[number].group, &all_[number].other}) {
    for (const std::uint32_t rank : *ranks) {
      meaning_[key(context, rank)] = number;
    }
  }
}

std::uint32_t Communicators::find(std::uint32_t context, RankId rank) const {
  if (context == kSelfContext) {
    return kSelf;
  }
  const auto found = meaning_.find(key(context, number(rank)));
  return found == meaning_.end() ? kUnknown : found->second;
}

std::uint32_t Communicators::peer(std::uint32_t index, RankId rank, std::uint32_t number_in_group) const {
  if (index == kSelf) {
    return number(rank);
  }
  if (index == kUnknown) {
    return number_in_group;
  }
  const Communicator& comm = all_[index];
  const auto is_first = [&] { return std::ranges::find(comm.group, number(rank)) != comm.group.end(); };
  const auto& peers = comm.other.empty() || !is_first() ? comm.group : comm.other;
  return number_in_group < peers.size() ? peers[number_in_group] : number_in_group;
}

}  // namespace weft::trace

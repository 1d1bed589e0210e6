#include "trace/communicators.hpp"

#include <algorithm>
#include <cstdlib>

namespace weft::trace {
namespace {

std::uint64_t key(std::uint32_t context, std::uint32_t rank) { return std::uint64_t{context} << 32 | rank; }

// Parses numbers and ranges from `at` on, and moves `at` behind them.
std::vector<std::uint32_t> parse_group(const std::string& text, std::size_t& at) {
  const auto take_number = [&] {
    std::uint32_t value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + static_cast<std::uint32_t>(text[at] - '0');
    }
    return value;
  };
  std::vector<std::uint32_t> ranks;
  while (at < text.size() && text[at] >= '0' && text[at] <= '9') {
    const std::uint32_t first = take_number();
    std::uint32_t last = first;
    if (at < text.size() && text[at] == '-') {
      ++at;
      last = std::min(take_number(), first + (1U << 24));  // limits the memory for a damaged text
    }
    for (std::uint32_t rank = first; rank <= last; ++rank) {
      ranks.push_back(rank);
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
  const auto [place, is_new] =
      by_text_.try_emplace(std::to_string(context) + ' ' + text, static_cast<std::uint32_t>(all_.size()));
  if (is_new) {
    std::size_t at = 0;
    Communicator& comm = all_.emplace_back();
    comm.group = parse_group(text, at);
    if (at < text.size() && text[at] == '/') {
      comm.other = parse_group(text, ++at);
    }
    comm.name = text.substr(std::min(at + 1, text.size()));
  }
  for (const auto* const ranks : {&all_[place->second].group, &all_[place->second].other}) {
    for (const std::uint32_t rank : *ranks) {
      meaning_[key(context, rank)] = place->second;
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

// Which ranks `weft top` shows, and in which order.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/weft/top_rates.hpp"

namespace weft::tools::weft_tool {

struct SortKey {
  enum class By : unsigned char { cpu, rank, worker, state, call, messages, bytes, memory, moves };
  By by;
  std::string_view name;
  char letter;  // in the terminal
};
std::span<const SortKey> sort_keys();
// Throws std::runtime_error, one line.
SortKey::By parse_sort_key(std::string_view name);

// Of loads, rates and counts the largest first, of the rest the smallest; the other way round with `reverse`. Equal
// ones by rank.
void sort_ranks(std::vector<RankRow>& ranks, SortKey::By by, bool reverse);

// A rank passes if it passes each condition that there is.
struct RankFilter {
  std::vector<inspect::RankRange> ranks, workers;
  std::optional<inspect::Activity> state;
  std::string call;  // part of its name, in small letters

  bool passes(const RankRow& rank) const;
};
// "state=computes call=recv worker=0-3,7 rank=5". Throws std::runtime_error, one line.
RankFilter parse_filter(std::string_view text);

}  // namespace weft::tools::weft_tool

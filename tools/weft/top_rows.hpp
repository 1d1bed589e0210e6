// Chooses the ranks that `weft top` shows, and their order.
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
  char letter;  // the key in the terminal
};
std::span<const SortKey> sort_keys();
// Throws std::runtime_error, one line.
SortKey::By parse_sort_key(std::string_view name);

// Sorts loads, rates and counts by the largest first, the rest by the smallest first; the other way round with
// `reverse`. Equal ranks are sorted by number.
void sort_ranks(std::vector<RankRow>& ranks, SortKey::By by, bool reverse);

// A rank passes if it meets each condition that is set.
struct RankFilter {
  std::vector<inspect::RankRange> ranks, workers;
  std::optional<inspect::Activity> state;
  std::string call;  // part of the call's name, in lower case

  bool passes(const RankRow& rank) const;
};
// Parses a text such as "state=computes call=recv worker=0-3,7 rank=5". Throws std::runtime_error, one line.
RankFilter parse_filter(std::string_view text);

}  // namespace weft::tools::weft_tool

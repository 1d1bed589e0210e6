// Sets of memory, as addresses.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/check.hpp"

namespace weft::runtime {
inline namespace lbstep {

struct AddressRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

// Ascending; no two ranges overlap or touch.
using AddressSet = std::vector<AddressRange>;

// Adds a range that does not begin before the last one.
inline void append(AddressSet& set, AddressRange range) {
  if (range.begin >= range.end) {
    return;
  }
  base::check(set.empty() || range.begin >= set.back().begin, "addresses in ascending order");
  if (!set.empty() && range.begin <= set.back().end) {
    set.back().end = std::max(set.back().end, range.end);
  } else {
    set.push_back(range);
  }
}

inline AddressSet united(const AddressSet& a, const AddressSet& b) {
  AddressSet both;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    const bool is_a_next = j == b.size() || (i < a.size() && a[i].begin <= b[j].begin);
    append(both, is_a_next ? a[i++] : b[j++]);
  }
  return both;
}

}  // namespace lbstep
}  // namespace weft::runtime

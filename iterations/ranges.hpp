// Sets of iteration indices, as ranges.
#pragma once

#include <cstdint>
#include <vector>

namespace weft::iterations {

using Index = std::int64_t;

struct Range {
  Index first = 0;
  Index count = 0;
  bool operator==(const Range&) const = default;
};

// Disjoint ranges in ascending order; ranges that touch are merged.
class RangeSet {
 public:
  RangeSet() = default;
  RangeSet(Index first, Index count) { add(Range{first, count}); }

  // Number of indices in the set.
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  // Adds indices that are not in the set. If one of them is, or the range is invalid: false, and the set is unchanged.
  bool add(Range range);
  bool add(const RangeSet& other);
  // Removes indices that are all in the set. If one of them is not: false, and the set is unchanged.
  bool remove(Range range);
  bool remove(const RangeSet& other);
  [[nodiscard]] bool contains(Range range) const;
  [[nodiscard]] bool contains(const RangeSet& other) const;

  // Removes and returns the first range, or its first `most` indices.
  Range take_front(Index most);
  // Removes and returns the last `most` indices, which may be several ranges.
  RangeSet take_back(Index most);
  void clear();

 private:
  std::vector<Range> ranges_;
  Index count_ = 0;
};

}  // namespace weft::iterations

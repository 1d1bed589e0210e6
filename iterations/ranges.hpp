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

// Disjoint ranges in ascending order; neighbours that touch are one.
class RangeSet {
 public:
  RangeSet() = default;
  RangeSet(Index first, Index count) { add(Range{first, count}); }

  // Number of indices in the set.
  [[nodiscard]] Index count() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }

  // Adds indices that are not in the set. False, and the set is as it was, if one of them is, or the range is no range.
  bool add(Range range);
  bool add(const RangeSet& other);
  // Takes out indices that are all in the set. False, and the set is as it was, if one of them is not.
  bool remove(Range range);
  bool remove(const RangeSet& other);
  [[nodiscard]] bool contains(Range range) const;
  [[nodiscard]] bool contains(const RangeSet& other) const;

  // Takes out the first piece, at most `most` indices in one range.
  Range take_front(Index most);
  // Takes out the last `most` indices, in as many ranges as they are.
  RangeSet take_back(Index most);
  void clear();

 private:
  std::vector<Range> ranges_;
  Index count_ = 0;
};

}  // namespace weft::iterations

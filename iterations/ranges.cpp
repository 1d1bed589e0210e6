#include "iterations/ranges.hpp"

#include <algorithm>

namespace weft::iterations {
namespace {

Index end_of(const Range& range) { return range.first + range.count; }

bool is_range(const Range& range) {
  return range.first >= 0 && range.count > 0 && range.first <= INT64_MAX - range.count;
}

}  // namespace

bool RangeSet::add(Range range) {
  if (!is_range(range)) {
    return false;
  }
  auto after = std::ranges::lower_bound(ranges_, range.first, {}, &Range::first);
  if ((after != ranges_.end() && after->first < end_of(range)) ||
      (after != ranges_.begin() && end_of(*(after - 1)) > range.first)) {
    return false;
  }
  count_ += range.count;
  if (after != ranges_.begin() && end_of(*(after - 1)) == range.first) {
    --after;
    after->count += range.count;
  } else {
    after = ranges_.insert(after, range);
  }
  const auto next = after + 1;
  if (next != ranges_.end() && next->first == end_of(*after)) {
    after->count += next->count;
    ranges_.erase(next);
  }
  return true;
}

bool RangeSet::add(const RangeSet& other) {
  RangeSet sum = *this;
  for (const Range& range : other.ranges_) {
    if (!sum.add(range)) {
      return false;
    }
  }
  *this = std::move(sum);
  return true;
}

bool RangeSet::contains(Range range) const {
  const auto after = std::ranges::upper_bound(ranges_, range.first, {}, &Range::first);
  return is_range(range) && after != ranges_.begin() && end_of(*(after - 1)) >= end_of(range);
}

bool RangeSet::contains(const RangeSet& other) const {
  return std::ranges::all_of(other.ranges_, [this](const Range& range) { return contains(range); });
}

bool RangeSet::remove(Range range) {
  if (!contains(range)) {
    return false;
  }
  const auto holder = std::ranges::upper_bound(ranges_, range.first, {}, &Range::first) - 1;
  const Range before{holder->first, range.first - holder->first};
  const Range behind{end_of(range), end_of(*holder) - end_of(range)};
  auto place = ranges_.erase(holder);
  if (behind.count > 0) {
    place = ranges_.insert(place, behind);
  }
  if (before.count > 0) {
    ranges_.insert(place, before);
  }
  count_ -= range.count;
  return true;
}

bool RangeSet::remove(const RangeSet& other) {
  if (!contains(other)) {
    return false;
  }
  for (const Range& range : other.ranges_) {
    remove(range);
  }
  return true;
}

Range RangeSet::take_front(Index most) {
  if (ranges_.empty() || most <= 0) {
    return {};
  }
  const Range piece{ranges_.front().first, std::min(most, ranges_.front().count)};
  remove(piece);
  return piece;
}

RangeSet RangeSet::take_back(Index most) {
  RangeSet taken;
  while (taken.count() < most && !ranges_.empty()) {
    const Range& last = ranges_.back();
    const Index count = std::min(most - taken.count(), last.count);
    const Range piece{end_of(last) - count, count};
    remove(piece);
    taken.add(piece);
  }
  return taken;
}

void RangeSet::clear() {
  ranges_.clear();
  count_ = 0;
}

}  // namespace weft::iterations

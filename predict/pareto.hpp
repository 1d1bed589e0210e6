// Of choices that cost time and money, those that no other one beats in both.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft::predict {

struct Point {
  double time = 0.0;
  double cost = 0.0;
};

// Indices by rising time, so by falling cost. Of points that are alike the first one is in the front.
std::vector<std::size_t> pareto_front(std::span<const Point> points);

// Of a front, as indices into `points`, the member furthest below the line between its ends, with both axes scaled to
// them: from there, a shorter run costs much more, and a cheaper one takes much longer. With fewer than three members
// or none below the line it is the cheapest one, the last. REQUIRES: a member.
std::size_t knee_of(std::span<const Point> points, std::span<const std::size_t> front);

}  // namespace weft::predict

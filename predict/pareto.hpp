// The Pareto front of choices by time and cost, and its knee.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace weft::predict {

struct Point {
  double time = 0.0;
  double cost = 0.0;
};

// Indices of the front by rising time, hence by falling cost. Of equal points only the first is in the front.
std::vector<std::size_t> pareto_front(std::span<const Point> points);

// The knee of a front (indices into `points`): the member furthest below the line between its ends, with both axes
// scaled to them. From there a shorter run costs much more, and a cheaper one takes much longer. With fewer than three
// members, or none below the line, it is the last one, which is the cheapest. REQUIRES: `front` is not empty.
std::size_t knee_of(std::span<const Point> points, std::span<const std::size_t> front);

}  // namespace weft::predict

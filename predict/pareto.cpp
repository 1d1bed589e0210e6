#include "predict/pareto.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "base/check.hpp"

namespace weft::predict {

std::vector<std::size_t> pareto_front(std::span<const Point> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    return points[a].time < points[b].time || (points[a].time == points[b].time && points[a].cost < points[b].cost);
  });
  std::vector<std::size_t> front;
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    if (points[i].cost < least) {
      front.push_back(i);
      least = points[i].cost;
    }
  }
  return front;
}

std::size_t knee_of(std::span<const Point> points, std::span<const std::size_t> front) {
  base::check(!front.empty(), "a front has a member");
  const Point& fast = points[front.front()];
  const Point& cheap = points[front.back()];
  std::size_t knee = front.back();
  double deepest = 0.0;
  for (const std::size_t i : front) {
    // On the line between the ends both parts add up to 1.
    const double below = 1.0 - (points[i].time - fast.time) / std::max(cheap.time - fast.time, 1e-300) -
                         (points[i].cost - cheap.cost) / std::max(fast.cost - cheap.cost, 1e-300);
    if (below > deepest + 1e-12) {
      deepest = below;
      knee = i;
    }
  }
  return knee;
}

}  // namespace weft::predict

#include "lb/greedy_refine.hpp"

#include <algorithm>

#include "lb/greedy.hpp"
#include "lb/loads.hpp"

namespace weft::lb {

Plan GreedyRefine::solve(const Instance& instance) const {
  const double reached = longest_seconds(instance, Greedy().solve(instance));
  const double limit = tolerance_ * std::max(reached, ideal_seconds(instance));
  return not_worse(instance, list_schedule(instance, limit));
}

}  // namespace weft::lb

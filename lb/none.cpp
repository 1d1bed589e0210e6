#include "lb/none.hpp"

namespace weft::lb {

Plan None::solve(const Instance& instance) const {
  Plan plan;
  plan.reserve(instance.ranks.size());
  for (const RankLoad& rank : instance.ranks) {
    plan.push_back(rank.home);
  }
  return plan;
}

}  // namespace weft::lb

#include "lb/rotate.hpp"

#include "base/check.hpp"

namespace weft::lb {

Plan Rotate::solve(const Instance& instance) const {
  base::check(!instance.workers.empty(), "an instance needs at least one worker");
  const auto workers = static_cast<std::uint32_t>(instance.workers.size());
  Plan plan;
  plan.reserve(instance.ranks.size());
  for (const RankLoad& rank : instance.ranks) {
    plan.push_back(rank.may_move ? WorkerId{(number(rank.home) + 1) % workers} : rank.home);
  }
  return plan;
}

}  // namespace weft::lb

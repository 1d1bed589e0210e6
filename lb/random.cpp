#include "lb/random.hpp"

#include "lb/loads.hpp"

namespace weft::lb {

Plan Random::solve(const Instance& instance) const {
  check_instance(instance);
  Plan plan = homes_of(instance);
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (instance.ranks[i].may_move) {
      plan[i] = WorkerId{static_cast<std::uint32_t>(mix(mix(seed_) + i) % instance.workers.size())};
    }
  }
  return plan;
}

}  // namespace weft::lb

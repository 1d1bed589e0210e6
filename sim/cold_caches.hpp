// The extra cost of MPI calls after ranks have computed and thereby replaced MPI's data in the caches.
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/platform.hpp"

namespace weft::sim {

// Interpolates the platform's costs for any time of computing. Constant after construction.
class ColdCosts {
 public:
  explicit ColdCosts(std::vector<ColdCost> known = {}) : known_(std::move(known)) {}

  [[nodiscard]] bool empty() const { return known_.empty(); }

  // Linear interpolation between the known costs, from no cost at 0; beyond the last known one the cost stays the same.
  // REQUIRES: not empty.
  [[nodiscard]] ColdCost after(Seconds computing) const {
    const auto next = std::ranges::lower_bound(known_, computing, {}, &ColdCost::computing);
    if (next == known_.end()) {
      return known_.back();
    }
    const ColdCost last = next == known_.begin() ? ColdCost{} : *std::prev(next);
    const double part = (computing - last.computing) / (next->computing - last.computing);
    const auto between = [&](Seconds ColdCost::*cost) { return last.*cost + part * ((*next).*cost - last.*cost); };
    return {.computing = computing,
            .message = between(&ColdCost::message),
            .switching = between(&ColdCost::switching),
            .copy_per_byte = between(&ColdCost::copy_per_byte)};
  }

 private:
  std::vector<ColdCost> known_;
};

}  // namespace weft::sim

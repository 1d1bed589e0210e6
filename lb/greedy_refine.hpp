// Greedy that leaves a rank at home as long as its home stays within a limit. After GreedyRefineLB of Charm++.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// The limit is the load of greedy's longest worker times the tolerance. Longest rank first: the rank stays if its home
// stays within the limit, else it goes to the least loaded worker. Nearly greedy's balance with fewer moves.
class GreedyRefine final : public Strategy {
 public:
  explicit GreedyRefine(double tolerance = 1.02) : tolerance_(tolerance) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double tolerance_;
};

}  // namespace weft::lb

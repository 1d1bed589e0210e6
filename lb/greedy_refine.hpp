// Greedy that leaves ranks at home where that does no harm. After GreedyRefineLB of Charm++.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Greedy's longest worker, times the tolerance, is the limit. Longest rank first: it stays if its home stays within the
// limit, else it goes to the least loaded worker. Nearly greedy's balance for a part of its moves.
class GreedyRefine final : public Strategy {
 public:
  explicit GreedyRefine(double tolerance = 1.02) : tolerance_(tolerance) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double tolerance_;
};

}  // namespace weft::lb

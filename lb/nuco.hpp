// After NucoLB: Pilla et al., "A Hierarchical Approach for Load Balancing on Parallel Multi-core Systems"
// (ICPP 2012): list scheduling with non-uniform communication costs.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Longest rank first, each to the worker of least cost: the worker's seconds, plus the time of the rank's messages to
// other NUMA nodes from there, minus the time of those within the node. Ranks not yet considered count at their homes;
// with equal costs a rank stays. The links between nodes set the cost of remote messages, as the NUCO factor does.
class Nuco final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }
};

}  // namespace weft::lb

// In the manner of NucoLB: Pilla et al., "A Hierarchical Approach for Load Balancing on Parallel Multi-core Systems"
// (ICPP 2012): list scheduling with non-uniform communication costs.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Longest rank first, each from where it is to the worker of least cost: the worker's seconds, plus what the rank's
// messages to other NUMA nodes take from there, less what those within the node take. All else stays where it is
// meanwhile; ties stay. The node's links set what remote messages cost, as the NUCO factor does.
class Nuco final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }
};

}  // namespace weft::lb

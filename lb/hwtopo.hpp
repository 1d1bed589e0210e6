// After HwTopoLB: Pilla et al., "A Topology-Aware Load Balancing Algorithm for Clustered Hierarchical
// Multi-core Machines" (Future Generation Computer Systems 30, 2014): refinement with the latency and bandwidth of each
// level of the machine.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// A worker's cost is its seconds and those of its ranks' messages over the links between them. The worker of highest
// cost gives a rank, largest first, to the worker with the least cost for it, if both then cost less than it did. The
// candidates are the least loaded worker of each level of the machine and the workers of the rank's neighbours. Ends
// when the highest cost is within 2 % of the mean, or when no move helps. Each rank moves at most once.
class HwTopo final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }
};

}  // namespace weft::lb

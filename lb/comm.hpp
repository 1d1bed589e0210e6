// Communication-aware: Scotch maps the graph of ranks onto the workers anew (Pellegrini, Roman, "Scotch: A Software
// Package for Static Mapping by Dual Recursive Bipartitioning", HPCN 1996) and counts what moving costs
// (SCOTCH_graphRemapFixed of Scotch 7).
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// A rank weighs its work, an edge what its messages take over the longest link of the job, a move what the instance's
// move costs say. Each worker's share is what the ideal level leaves it over its background. Minimises messages and
// moves together while the longest worker stays within `tolerance` of the ideal. Where that is not reached, or nothing
// was measured of messages, refinement (refine.hpp) has the last word. Where balance is kept and messages would not
// shrink by more than the moves cost, nothing moves.
class Comm final : public Strategy {
 public:
  explicit Comm(double tolerance = 1.05) : tolerance_(tolerance) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }

 private:
  double tolerance_;
};

}  // namespace weft::lb

// Longest processing time first: Graham, "Bounds on Multiprocessing Timing Anomalies" (SIAM J. Appl. Math. 17, 1969).
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Longest rank first onto the least loaded worker: with equal workers at most 4/3 of the best balance. Makes the most
// moves. A worker's load is its background, the ranks that may not leave it, and the time for its ranks at its speed.
// If the plan is no better than the homes, nothing moves.
class Greedy final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
};

// Longest rank first: the rank stays at home if it ends there within `stay_seconds`, else it goes to the worker where
// it ends first.
Plan list_schedule(const Instance& instance, double stay_seconds);

}  // namespace weft::lb

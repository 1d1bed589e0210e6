// Longest processing time first: Graham, "Bounds on Multiprocessing Timing Anomalies" (SIAM J. Appl. Math. 17, 1969).
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Longest rank first onto the least loaded worker: at most 4/3 of the best balance where workers are alike. Most moves.
// A worker's load is the time it needs for its ranks at its speed, its background load and the ranks that may not leave
// it. Where that is no better than the homes, nothing moves.
class Greedy final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
};

// Longest rank first: home where that ends within `stay_seconds`, else onto the worker where it ends first.
Plan list_schedule(const Instance& instance, double stay_seconds);

}  // namespace weft::lb

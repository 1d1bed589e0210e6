#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Longest rank first onto the least loaded worker. Best balance, most migrations. A worker's load is the time it needs
// for its ranks at its speed, its background load and the ranks that may not leave it.
class Greedy final : public Strategy {
 public:
  [[nodiscard]] Plan solve(const Instance& instance) const override;
};

}  // namespace weft::lb

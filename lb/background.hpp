// Sarood, Gupta, Kale, "Cloud Friendly Load Balancing for HPC Applications: Preliminary Work" (ICPPW 2012), Algorithm
// 1: refinement that counts what other jobs take from each core.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Brings every worker's load, with its background O_p, to within eps of the average T_avg of all workers (equations 1
// and 3); eps is a fraction of T_avg. The most loaded worker gives its largest rank that fits to the lightest worker.
// If none fits it is left as it is, and the next worker gives.
class Background final : public Strategy {
 public:
  explicit Background(double eps = 0.05) : eps_(eps) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double eps_;
};

}  // namespace weft::lb

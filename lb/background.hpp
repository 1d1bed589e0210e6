// Sarood, Gupta, Kale, "Cloud Friendly Load Balancing for HPC Applications: Preliminary Work" (ICPPW 2012), Algorithm
// 1: refinement that counts what other jobs take from each core.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// Every worker's load, background O_p included, comes to within eps of the average T_avg of all workers (equations 1
// and 3); eps is a fraction of T_avg. Workers above give their largest rank that fits to the lightest one; one that
// finds no taker is left, and the next one gives.
class Background final : public Strategy {
 public:
  explicit Background(double eps = 0.05) : eps_(eps) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double eps_;
};

}  // namespace weft::lb

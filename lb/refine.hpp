// Refinement: workers above a limit give ranks to workers below it; all other ranks stay. After RefineLB of Charm++,
// which Keller Tesser 2016 found best for Ondes3D (section III), with its tolerance of 1.05.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// The limit is `tolerance` times the ideal level (loads.hpp). The most loaded worker gives the smallest rank that
// brings it below the limit, else the largest rank that fits, to the worker with the most room. If no rank fits, the
// limit rises to the lowest that one move can reach, as long as that shortens the longest worker.
class Refine final : public Strategy {
 public:
  explicit Refine(double tolerance = 1.05) : tolerance_(tolerance) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double tolerance_;
};

// Refines with the smallest limit that refinement can keep. Finds it to within `step` by bisection between the ideal
// level and the longest worker, as Charm++'s RefineLB does for its tolerance.
class RefineBisect final : public Strategy {
 public:
  explicit RefineBisect(double step = 0.01) : step_(step) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double step_;
};

}  // namespace weft::lb

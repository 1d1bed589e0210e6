// Refinement: workers above a limit give ranks to workers below it; all else stays. After RefineLB of Charm++, which
// Keller Tesser 2016 found best for Ondes3D (section III), with its tolerance of 1.05.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

// The limit is `tolerance` times the ideal level (loads.hpp). The most loaded worker gives the smallest rank that
// brings it below the limit, else the largest that fits, to the worker with the most room. Where no rank fits any more,
// the limit rises to what one move can still reach, as long as that shortens the longest worker.
class Refine final : public Strategy {
 public:
  explicit Refine(double tolerance = 1.05) : tolerance_(tolerance) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double tolerance_;
};

// The smallest limit that refinement keeps, by bisection between the ideal level and the longest worker, to within
// `step` of itself. After the bisection of the tolerance in Charm++'s RefineLB.
class RefineBisect final : public Strategy {
 public:
  explicit RefineBisect(double step = 0.01) : step_(step) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;

 private:
  double step_;
};

}  // namespace weft::lb

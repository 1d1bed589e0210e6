// MigBSP: Righi, "MigBSP: a new approach for processes rescheduling management on bulk synchronous parallel
// applications" (thesis, 2009), sections 4.6 and 4.7. Its rule of when is in when.hpp, its history in
// migbsp_history.hpp.
#pragma once

#include "lb/strategy.hpp"

namespace weft::lb {

struct MigbspWeights {
  double comp = 1.0;
  double comm = 1.0;
  double mem = 1.0;
};

// Each rank's potential of migration to each Set, PM = Comp + Comm - Mem (equations 4.4 to 4.7), chooses candidates and
// their Sets; the destination test (4.8 to 4.10) the worker, and whether the move pays. Few ranks move at each step.
class Migbsp final : public Strategy {
 public:
  // Candidates are the ranks whose potential is above `part` of the highest (heuristic one); part 1: only the one with
  // the highest (heuristic two).
  explicit Migbsp(double part = 0.8, const MigbspWeights& weights = {}) : part_(part), weights_(weights) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }

 private:
  double part_;
  MigbspWeights weights_;
};

// PM(i, j), by rank and Set; Instance::patterns where there are some, else each rank counts as regular.
std::vector<std::vector<double>> potentials(const Instance& instance, const MigbspWeights& weights);

}  // namespace weft::lb

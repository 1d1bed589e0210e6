// MigBSP: Righi, "MigBSP: a new approach for processes rescheduling management on bulk synchronous parallel
// applications" (thesis, 2009), sections 4.6 and 4.7. Its rule of when is in when.hpp, its history in
// migbsp_history.hpp.
#pragma once

#include <string_view>
#include <vector>

#include "lb/migbsp_history.hpp"
#include "lb/strategy.hpp"

namespace weft::lb {

struct MigbspWeights {
  double comp = 1.0;
  double comm = 1.0;
  double mem = 1.0;
};

struct MigbspSettings {
  // Candidates are the ranks whose potential is above `part` times the highest (heuristic one); part 1: only the rank
  // with the highest potential (heuristic two).
  double part = 0.8;
  // Two readings of 4.6.1. Weft's: all load of a Set's workers lowers its capacity (ISet), so that a Set with idle
  // workers attracts ranks even if all workers are equally fast; a rank's computation time (CTP) is its own. The
  // thesis's experiments: only load of others lowers the capacity, and a rank's computation time lasts until all ranks
  // of its worker have ended.
  bool as_thesis = false;
  MigbspMargins margins{};
  MigbspWeights weights{};
};
// "0.9", "one", "one,thesis,delta=0.5": see strategies(). Throws base::OptionError.
MigbspSettings parse_migbsp(std::string_view argument);
// The margins of a strategy, as make_strategy() reads it; the default ones unless it is migbsp.
MigbspMargins margins_of(std::string_view strategy);

// The potential of migration of each rank to each Set, PM = Comp + Comm - Mem (equations 4.4 to 4.7), selects
// candidates and their Sets. The destination test (4.8 to 4.10) selects the worker and decides whether the move pays.
// Few ranks move at each step.
class Migbsp final : public Strategy {
 public:
  explicit Migbsp(const MigbspSettings& settings = {}) : settings_(settings) {}
  [[nodiscard]] Plan solve(const Instance& instance) const override;
  [[nodiscard]] bool wants_edges() const override { return true; }

 private:
  MigbspSettings settings_;
};

// PM(i, j), by rank and Set. Uses Instance::patterns if they fit the instance; else each rank counts as regular.
std::vector<std::vector<double>> potentials(const Instance& instance, const MigbspSettings& settings);

}  // namespace weft::lb

// Searches the settings of balancing for the one with the shortest run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/calibration.hpp"
#include "sim/sweep.hpp"

namespace weft::sim {

struct SearchOptions {
  std::size_t budget = 200;  // replays, at most
  std::size_t seeds = 7;     // replays of each finalist with computing and links that differ at random
  unsigned threads = 1;
  Setting start{};  // whatever is not searched is as here
};

struct Estimate {
  Setting setting;
  Outcome outcome;
  Figure makespan;  // over the seeds
};

struct SearchResult {
  Estimate unbalanced;
  // The best settings, the shortest first; never empty. That of no balancing is first where no other one is better by
  // more than the spreads of both.
  std::vector<Estimate> finalists;
  std::size_t replays = 0;
};

// In rounds, as far as the budget goes: each strategy at two rules of when; the best strategies at all rules; the best
// settings with other load models; with periods and tolerances next to theirs. The best three and no balancing are then
// replayed with each seed. Throws std::invalid_argument where the budget is below what the last part needs or the
// workload never calls MPI_Migrate, and what replay_all() throws.
SearchResult find_best(const SweepInput& input, const SearchOptions& options, const ShowProgress& show);

// The options of weftrun that the setting stands for, on the platform that it was replayed on.
std::string weftrun_options(const Setting& setting, const Platform& platform, std::uint32_t ranks);

}  // namespace weft::sim

// Searches the load balancing settings for the one with the shortest simulated run.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/calibration.hpp"
#include "sim/sweep.hpp"

namespace weft::sim {

struct SearchOptions {
  std::size_t budget = 200;  // replays, at most
  std::size_t seeds = 7;     // replays of each finalist with randomly perturbed computing and links
  unsigned threads = 1;
  Setting start{};  // supplies everything that is not searched
};

struct Estimate {
  Setting setting;
  Outcome outcome;
  Figure makespan;  // over the seeds
};

struct SearchResult {
  Estimate unbalanced;
  // The best settings, the shortest first; never empty. The setting without balancing is first unless another one is
  // shorter by more than the spreads of both.
  std::vector<Estimate> finalists;
  std::size_t replays = 0;
};

// Searches in rounds, as far as the budget goes: each strategy with two rules of when; the best strategies with all
// rules; the best settings with other load models, then with periods and tolerances next to theirs. Finally replays the
// best three and the setting without balancing with each seed. Throws std::invalid_argument if the budget is below what
// the final replays need or ranks call MPI_Migrate less than twice, and what replay_all() throws.
SearchResult find_best(const SweepInput& input, const SearchOptions& options, const ShowProgress& show);

// The options of weftrun for the setting on the platform of the replay.
std::string weftrun_options(const Setting& setting, const Platform& platform, std::uint32_t ranks);

}  // namespace weft::sim

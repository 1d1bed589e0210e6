// The options that determine how a workload is replayed. `run` takes one value of each, `sweep` and `best` take lists.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "sim/sweep.hpp"

namespace weft::tools::weftsim {

// `axes` must outlive parsing.
void add_balancing_options(CLI::App& command, sim::SettingAxes& axes);
void add_machine_options(CLI::App& command, sim::SettingAxes& axes);

// Processes the strategies, which were split at commas. "all" becomes every strategy except those for tests. A word
// that names no strategy is joined to the word before it, as a further argument of that strategy.
void expand_strategies(sim::SettingAxes& axes);

// The number of cores of this host, at least 1. This process may be allowed fewer.
unsigned default_threads();

}  // namespace weft::tools::weftsim

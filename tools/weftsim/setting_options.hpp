// The options that say how a workload is replayed: run takes one value of each, sweep and best lists.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "sim/sweep.hpp"

namespace weft::tools::weftsim {

// `axes` must outlive parsing.
void add_balancing_options(CLI::App& command, sim::SettingAxes& axes);
void add_machine_options(CLI::App& command, sim::SettingAxes& axes);

// What was split at commas: "all" becomes each strategy but those for tests, and a word that names no strategy is put
// back behind the one before it, as a further argument of that.
void spell_out_strategies(sim::SettingAxes& axes);

// Cores that this process may use.
unsigned usual_threads();

}  // namespace weft::tools::weftsim

// Reports the result of a sweep as a table and as JSON.
#pragma once

#include <span>
#include <string>

#include "sim/sweep.hpp"

namespace weft::sim {

// Settings, their outcomes in the same order, and the names of the workloads.
struct SweepResult {
  std::span<const Setting> settings;
  std::span<const Outcome> outcomes;
  std::span<const std::string> workloads;
};

// A line for each setting, with a column for each part in which settings differ.
std::string sweep_table(const SweepResult& result);
// All parts and outcomes of each setting, for weftsim compare.
std::string sweep_json(const SweepResult& result);

// The index of the setting that equals this one except that it does not balance; `settings.size()` if there is none.
std::size_t unbalanced(std::span<const Setting> settings, std::size_t setting);

}  // namespace weft::sim

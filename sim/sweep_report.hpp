// What a sweep has found, for people and for programs.
#pragma once

#include <span>
#include <string>

#include "sim/sweep.hpp"

namespace weft::sim {

// Settings, their outcomes in the same order, and the workloads' names.
struct SweepResult {
  std::span<const Setting> settings;
  std::span<const Outcome> outcomes;
  std::span<const std::string> workloads;
};

// A line for each setting, in their order, with a column for each part in which settings differ.
std::string sweep_table(const SweepResult& result);
// All parts and outcomes of each setting; weftsim compare reads it.
std::string sweep_json(const SweepResult& result);

// The setting that differs from this one by not balancing; `settings.size()` if there is none.
std::size_t unbalanced(std::span<const Setting> settings, std::size_t setting);

}  // namespace weft::sim

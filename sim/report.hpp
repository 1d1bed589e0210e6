// What a simulated run was like, for people and for programs.
#pragma once

#include <string>

#include "sim/replay.hpp"

namespace weft::sim {

// The longest worker's computing over the mean of all.
double imbalance_of(const ReplayResult& result, const Platform& platform);
// Makespan, steps, and for each worker how long its ranks computed; at most 32 workers, the busiest first.
std::string result_table(const ReplayResult& result, const Platform& platform);
// All of ReplayResult, with the names of its fields.
std::string result_json(const ReplayResult& result, const Platform& platform);

}  // namespace weft::sim

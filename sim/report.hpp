// Reports the result of a simulated run as a table and as JSON.
#pragma once

#include <string>

#include "sim/replay.hpp"

namespace weft::sim {

// The largest computing time of a worker divided by the mean.
double imbalance_of(const ReplayResult& result, const Platform& platform);
// Makespan, steps, and how long each worker's ranks computed; at most 32 workers, the busiest first.
std::string result_table(const ReplayResult& result, const Platform& platform);
// All fields of ReplayResult.
std::string result_json(const ReplayResult& result, const Platform& platform);

}  // namespace weft::sim

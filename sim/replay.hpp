// Simulates a workload on a platform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lb/decider.hpp"
#include "sim/network.hpp"
#include "sim/platform.hpp"

namespace weft::sim {

class Timeline;

struct ReplayOptions {
  NetworkModel network = NetworkModel::ports;
  std::vector<std::uint32_t> homes{};  // by rank, its worker; empty: ranks in blocks of equal size
  lb::DeciderOptions balancing{};      // except its links, which come from the platform
  bool keep_iterations = false;        // fill ReplayResult::iterations and iteration_ends
  Timeline* timeline = nullptr;        // to fill; null: none is wanted
};

// A rank that moved from one worker to another.
struct Migration {
  std::uint32_t rank = 0;
  std::uint32_t from = 0;
  std::uint32_t to = 0;
};

// A balancing step.
struct StepReport {
  std::uint64_t call = 0;  // of MPI_Migrate, counted from 1
  Seconds at = 0.0;        // arrival of the last rank
  Seconds seconds = 0.0;   // from then until the ranks continue
  std::uint64_t moves = 0;
  std::uint64_t bytes = 0;  // of ranks that changed their process
  Seconds before = 0.0;     // load of the longest worker since the last step
  Seconds after = 0.0;      // predicted load of the longest worker until the next step
  std::vector<Migration> migrations{};
};

struct ReplayResult {
  Seconds makespan = 0.0;  // end of the last rank
  std::uint64_t actions = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;  // with those of collective calls
  std::uint64_t bytes = 0;
  std::vector<Seconds> ended;  // by rank
  std::vector<Seconds> busy;   // by worker: work of its ranks, seconds at speed 1
  // By call of MPI_Migrate, then by worker: busy seconds since the call before.
  std::vector<std::vector<float>> iterations;
  std::vector<Seconds> iteration_ends;  // by call of MPI_Migrate: mean time of the ranks' arrival
  std::vector<StepReport> steps;
  std::string strategy;  // and `when`: as in ReplayOptions
  std::string when;
};

// Throws WorkloadError, one line, if the workload is invalid or its ranks deadlock.
ReplayResult replay(const Workload& workload, const Platform& platform, const ReplayOptions& options = {});

// The worker of each rank: rank r on worker r mod `workers`.
std::vector<std::uint32_t> round_robin_homes(std::uint32_t ranks, std::uint32_t workers);
// The worker of each rank: consecutive ranks in blocks; worker w has the ranks from w * ranks / workers on.
std::vector<std::uint32_t> block_homes(std::uint32_t ranks, std::uint32_t workers);

}  // namespace weft::sim

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
  lb::DeciderOptions balancing{};      // but for its links, which are those of the platform
  bool keep_iterations = false;        // fill ReplayResult::iterations and iteration_ends
  Timeline* timeline = nullptr;        // fill it; null: there is none
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
  Seconds at = 0.0;        // the last rank had come
  Seconds seconds = 0.0;   // until the ranks went on
  std::uint64_t moves = 0;
  std::uint64_t bytes = 0;  // of those that changed their process
  Seconds before = 0.0;     // the longest worker since the last step
  Seconds after = 0.0;      // and until the next one, as predicted
  std::vector<Migration> migrations{};
};

struct ReplayResult {
  Seconds makespan = 0.0;  // the last rank ended
  std::uint64_t actions = 0;
  std::uint64_t events = 0;
  std::uint64_t messages = 0;  // those of collective calls, too
  std::uint64_t bytes = 0;
  std::vector<Seconds> ended;  // by rank
  std::vector<Seconds> busy;   // by worker: work of its ranks, seconds at speed 1
  // By call of MPI_Migrate, then by worker: the same, since the call before.
  std::vector<std::vector<float>> iterations;
  std::vector<Seconds> iteration_ends;  // by call of MPI_Migrate: when the ranks came to it, in the mean
  std::vector<StepReport> steps;
  std::string strategy;  // of balancing, and when: as ReplayOptions has them
  std::string when;
};

// Throws WorkloadError, in one line, where the workload makes no sense or its ranks wait for each other.
ReplayResult replay(const Workload& workload, const Platform& platform, const ReplayOptions& options = {});

// Rank r on worker r, and from the first one again where there are no more.
std::vector<std::uint32_t> in_turn(std::uint32_t ranks, std::uint32_t workers);
// Ranks in blocks: worker w has those from w * ranks / workers on.
std::vector<std::uint32_t> blocks_of(std::uint32_t ranks, std::uint32_t workers);

}  // namespace weft::sim

// The parts of hierarchical balancing: what a process tells its host, a host the job, and what each decides. Nobody
// sees another process's ranks, only sums of them: a parent's work does not grow with the number of ranks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// Bytes and messages between a bundle of ranks and one process.
struct Traffic {
  std::uint32_t process = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Ranks that move together, as their sums. What is in it is a range that only its child understands: ranks of a process
// (those that may move), bundles of a host's processes, counted through all of them.
struct Bundle {
  double work = 0.0;
  std::uint64_t bytes = 0;
  std::vector<Traffic> traffic;  // by process, ascending
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// What a child tells its parent.
struct Summary {
  double speed = 0.0;       // of all its workers together
  double fixed_work = 0.0;  // background and ranks that may not move
  Place place;              // host; and process, where the child is one
  std::vector<Bundle> bundles;
};

// One process: its own workers and ranks, numbered from 0.
struct ProcessLoad {
  Instance instance;  // edges: within the process
  Place place;
  std::vector<std::vector<Traffic>> outward;  // by rank: to other processes; empty where nothing was measured
};

// At most `count` bundles of neighbouring ranks with about the same work.
Summary summarize(const ProcessLoad& process, std::size_t count);
// A host's summary from those of its processes.
Summary summarize(std::span<const Summary> children, std::size_t count);

// Which child each bundle of each child goes to. `traffic_child` names for each process (Traffic::process) the child
// that it belongs to, or none of them (any higher number).
using Assignment = std::vector<std::vector<std::uint32_t>>;
Assignment assign(const Strategy& strategy, std::span<const Summary> children, const Instance& costs,
                  std::span<const std::uint32_t> traffic_child);

// Homes for ranks that come to a process without one: each on the worker that is least loaded then.
void take_in(Instance& process, std::span<const RankLoad> arrivals, std::span<const double> work);

}  // namespace weft::lb

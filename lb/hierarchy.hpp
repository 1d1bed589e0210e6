// The parts of hierarchical balancing: what a process sends to its host, a host to the job, and what each decides.
// Nobody sees another process's ranks, only sums of them: a parent's work does not grow with the number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// Bytes and messages between a cluster of ranks and one process.
struct ProcessTraffic {
  std::uint32_t process = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

// Ranks that move together, as their sums. What is in it is a range that only its child understands: ranks of a process
// (those that may move), clusters of a host's processes, counted through all of them.
struct RankCluster {
  double work = 0.0;
  std::uint64_t bytes = 0;
  std::vector<ProcessTraffic> traffic;  // by process, ascending
  std::uint32_t first = 0;
  std::uint32_t end = 0;
};

// What a child sends to its parent.
struct Summary {
  double speed = 0.0;       // of all its workers together
  double fixed_work = 0.0;  // background and ranks that may not move
  Place place;              // host; and process, where the child is one
  std::vector<RankCluster> clusters;
};

// One process: its own workers and ranks, numbered from 0.
struct ProcessLoad {
  Instance instance;  // edges: within the process
  Place place;
  std::vector<std::vector<ProcessTraffic>> outward;  // by rank: to other processes; empty where nothing was measured
};

// Clusters in each summary, at most: a cluster is then less than 1 % of its child's work.
constexpr std::size_t kMostClusters = 256;

// At most `count` clusters of neighbouring ranks with about the same work.
Summary summarize(const ProcessLoad& process, std::size_t count);
// A host's summary from those of its processes.
Summary summarize(std::span<const Summary> children, std::size_t count);

// Which child each cluster of each child goes to. `traffic_child` names for each process (ProcessTraffic::process) the
// child that it belongs to, or none of them (any higher number).
using Assignment = std::vector<std::vector<std::uint32_t>>;
Assignment assign(const Strategy& strategy, std::span<const Summary> children, const Instance& costs,
                  std::span<const std::uint32_t> traffic_child);

// Processes are numbered through the job in what follows, and so are hosts.

// A process's cluster that comes from another host, and its place in that process's summary.
struct MigrantCluster {
  RankCluster cluster;
  std::uint32_t process = 0;
  std::uint32_t index = 0;
};
// Where a cluster of a process's summary goes.
struct Target {
  std::uint32_t process = 0;
  std::uint32_t index = 0;
  std::uint32_t to = 0;  // process
};

// What is decided for a host, from the summaries of its processes and of nothing else.
class HostStep {
 public:
  // `processes` ascend; a summary for each.
  HostStep(std::vector<std::uint32_t> processes, std::vector<Summary> summaries);

  // What is sent to the job.
  [[nodiscard]] const Summary& summary() const { return summary_; }
  // The job has said to which host each of summary()'s clusters goes; without hosts all stay. For each other host what
  // it gets: ascending by process and index.
  std::map<std::uint32_t, std::vector<MigrantCluster>> leave(std::uint32_t self, std::span<const std::uint32_t> hosts);
  // The clusters that are here now and those of others, hosts ascending, which start at the emptiest process.
  // `processes`: of the job.
  [[nodiscard]] std::vector<Target> place(const Strategy& outer, const Instance& costs, std::size_t processes,
                                          std::span<const MigrantCluster> migrants) const;

 private:
  std::vector<std::uint32_t> processes_;
  std::vector<Summary> children_;
  Summary summary_;
  std::vector<std::vector<bool>> stays_;  // by child and cluster
};

// A rank on its way to another process.
struct Migrant {
  RankLoad rank;      // its home: of the process that it leaves
  double work = 0.0;  // at speed 1
};
// Takes the ranks out of a process whose clusters go to others: `to` names the process for each cluster of its summary.
// By the process that they go to.
std::map<std::uint32_t, std::vector<Migrant>> take_out(Instance& process, std::uint32_t self,
                                                       std::span<const RankCluster> clusters,
                                                       std::span<const std::uint32_t> to);
// Homes for ranks that come to a process without one: each on the worker that is least loaded then.
void take_in(Instance& process, std::span<const Migrant> arrivals);

}  // namespace weft::lb

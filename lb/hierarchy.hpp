// The steps of hierarchical balancing: what a process sends to its host, what a host sends to the job, and what each
// decides. Parents get only sums over ranks of a process: their work does not grow with the number of ranks.
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

// The sums of ranks that move together. [first, end) is a range whose meaning depends on the child: ranks of a process
// (of which only those that may move count), or clusters of a host's processes, numbered through all of them.
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

// One process with its own workers and ranks, numbered from 0.
struct ProcessLoad {
  Instance instance;  // edges: within the process
  Place place;
  std::vector<std::vector<ProcessTraffic>> outward;  // by rank: with each process; empty: messages were not counted
};

// Limit of clusters in a summary: each cluster is then less than 1 % of its child's work.
constexpr std::size_t kMostClusters = 256;

// At most `count` clusters of neighbouring ranks with about the same work.
Summary summarize(const ProcessLoad& process, std::size_t count);
// A host's summary from those of its processes.
Summary summarize(std::span<const Summary> children, std::size_t count);

// Decides to which child each cluster of each child goes. `traffic_child`: for each process (ProcessTraffic::process)
// the child to which it belongs; any higher number: to none of them.
using Assignment = std::vector<std::vector<std::uint32_t>>;
Assignment assign(const Strategy& strategy, std::span<const Summary> children, const Instance& costs,
                  std::span<const std::uint32_t> traffic_child);

// Below, processes and hosts are numbered through the job.

// A cluster that comes from a process of another host, and its index in that process's summary.
struct MigrantCluster {
  RankCluster cluster;
  std::uint32_t process = 0;
  std::uint32_t index = 0;
};
// The destination of a cluster of a process's summary.
struct Target {
  std::uint32_t process = 0;
  std::uint32_t index = 0;
  std::uint32_t to = 0;  // process
};

// A host's decisions, from the summaries of its processes alone.
class HostStep {
 public:
  // `processes` ascend; a summary for each.
  HostStep(std::vector<std::uint32_t> processes, std::vector<Summary> summaries);

  // The host's summary for the job.
  [[nodiscard]] const Summary& summary() const { return summary_; }
  // `hosts`: the host to which each of summary()'s clusters goes, as the job decided; empty: all stay. Removes the
  // clusters that leave the host `self` and returns them for each other host, ascending by process and index.
  std::map<std::uint32_t, std::vector<MigrantCluster>> extract_departing(std::uint32_t self,
                                                                         std::span<const std::uint32_t> hosts);
  // Assigns the remaining clusters and `migrants` (ascending by the host that they come from) to the host's processes.
  // A migrant starts at the least loaded process. `processes`: number of processes in the job.
  [[nodiscard]] std::vector<Target> assign_to_processes(const Strategy& outer, const Instance& costs,
                                                        std::size_t processes,
                                                        std::span<const MigrantCluster> migrants) const;

 private:
  std::vector<std::uint32_t> processes_;
  std::vector<Summary> children_;
  Summary summary_;
  std::vector<std::vector<bool>> stays_;  // by child and cluster
};

// A rank on its way to another process.
struct Migrant {
  RankLoad rank;      // its home is in the process that it leaves
  double work = 0.0;  // at speed 1
};
// Removes from a process the ranks of clusters that go to other processes, and returns them by destination. `to`: the
// destination of each cluster of the process's summary.
std::map<std::uint32_t, std::vector<Migrant>> extract_migrants(Instance& process, std::uint32_t self,
                                                               std::span<const RankCluster> clusters,
                                                               std::span<const std::uint32_t> to);
// Adds ranks to a process, each on the worker that is least loaded at that point.
void insert_migrants(Instance& process, std::span<const Migrant> arrivals);

}  // namespace weft::lb

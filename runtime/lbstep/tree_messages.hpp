// The control messages of a hierarchical balancing step (step_tree.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lb/hierarchical.hpp"
#include "lb/hierarchy.hpp"
#include "pup/pup.hpp"
#include "runtime/control/control_message.hpp"
#include "runtime/lbstep/supersteps.hpp"
#include "trace/worker_interval.hpp"

namespace weft::trace {

inline pup::Puper& operator|(pup::Puper& p, WorkerInterval& interval) {
  return p | interval.wall | interval.ran | interval.background | interval.stolen | interval.contended | interval.speed;
}

}  // namespace weft::trace

namespace weft::lb {

inline pup::Puper& operator|(pup::Puper& p, Place& place) { return p | place.numa | place.process | place.host; }
inline pup::Puper& operator|(pup::Puper& p, ProcessTraffic& traffic) {
  return p | traffic.process | traffic.messages | traffic.bytes;
}
inline pup::Puper& operator|(pup::Puper& p, RankCluster& cluster) {
  return p | cluster.work | cluster.bytes | cluster.traffic | cluster.first | cluster.end;
}
inline pup::Puper& operator|(pup::Puper& p, Summary& summary) {
  return p | summary.speed | summary.fixed_work | summary.place | summary.clusters;
}
inline pup::Puper& operator|(pup::Puper& p, MigrantCluster& migrant) {
  return p | migrant.cluster | migrant.process | migrant.index;
}
inline pup::Puper& operator|(pup::Puper& p, Target& target) { return p | target.process | target.index | target.to; }
inline pup::Puper& operator|(pup::Puper& p, RankLoad& rank) {
  return p | rank.rank | rank.home | rank.seconds | rank.bytes | rank.may_move;
}
inline pup::Puper& operator|(pup::Puper& p, Migrant& migrant) { return p | migrant.rank | migrant.work; }

}  // namespace weft::lb

namespace weft::runtime {
inline namespace lbstep {

// One rank and a worker, both numbered through the job.
struct NewHome {
  std::uint32_t rank = 0;
  std::uint32_t worker = 0;
  void pup(pup::Puper& p) { p | rank | worker; }
};

// The work, at speed 1, of one worker.
struct WorkerWork {
  std::uint32_t worker = 0;  // numbered through the job
  double work = 0;
  void pup(pup::Puper& p) { p | worker | work; }
};

// What a rank of the receiver has received from ranks of the sender.
struct ReceivedReport {
  std::uint32_t rank = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  void pup(pup::Puper& p) { p | rank | messages | bytes; }
};

// The load history that a process keeps of a rank from step to step.
struct RankHistory {
  std::uint32_t first_home = 0;   // where it was at the job's first step
  std::vector<double> intervals;  // work for each call of migrate(), oldest first; empty where only the last counts
  void pup(pup::Puper& p) { p | first_home | intervals; }
};

struct TransferredHistory {
  std::uint32_t rank = 0;
  RankHistory history;
  void pup(pup::Puper& p) { p | rank | history; }
};

// A rank that another process is to place on its workers.
struct MovingRank {
  lb::Migrant migrant;
  std::uint32_t home = 0;    // its worker, numbered through the job
  std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
  RankHistory history;
  std::vector<EdgeReport> sent;
  void pup(pup::Puper& p) { p | migrant | home | wanted | history | sent; }
};

// From process 0 to a host: the target host of each of its clusters (empty: all stay), how many other hosts send
// clusters, and what moves cost.
struct HostTargets {
  std::vector<std::uint32_t> to;
  std::uint32_t senders = 0;
  double per_move = 0;
  double per_byte = 0;
  void pup(pup::Puper& p) { p | to | senders | per_move | per_byte; }
};

// From a host to a process: the target process of each of its clusters, how many other processes send it ranks, and
// what moves cost.
struct ProcessTargets {
  std::vector<std::uint32_t> to;
  std::uint32_t senders = 0;
  double per_move = 0;
  double per_byte = 0;
  void pup(pup::Puper& p) { p | to | senders | per_move | per_byte; }
};

// The outcome of one plan: for a process, a host or the job.
struct PlanOutcome {
  // As the strategy has planned.
  double longest = 0;  // seconds of the most loaded worker
  std::uint64_t planned_moves = 0;
  std::uint64_t planned_bytes = 0;
  // As it would be carried out, respecting what ranks want.
  std::uint64_t moves = 0;
  std::uint64_t crossings = 0;
  std::uint64_t bytes = 0;
  std::vector<WorkerWork> work;
  std::vector<NewHome> announced_moves;  // moves that all processes must know
  std::vector<NewHome> local_moves;      // moves within this process: for the report only
  void pup(pup::Puper& p) {
    p | longest | planned_moves | planned_bytes | moves | crossings | bytes | work | announced_moves | local_moves;
  }
  void add(const PlanOutcome& other);
};

// The sums of one worker's ranks, and its own measurements.
struct WorkerSums {
  std::uint32_t worker = 0;  // numbered through the job
  std::uint32_t ranks = 0;
  lb::Place place;
  trace::WorkerInterval interval;
  double work = 0;  // measured, of its ranks, at speed 1
  void pup(pup::Puper& p) { p | worker | ranks | place | interval | work; }
};

// The data from which a step is decided: sums for each worker, and the ranks that would change their process.
struct StepSums {
  std::uint32_t processes = 0;            // how many processes are included
  std::uint64_t call = 0;                 // of migrate()
  std::string checkpoint;                 // that ranks ask for
  bool image = false;                     // the same
  std::string pinned;                     // a rank that cannot be packed, and why
  std::uint64_t private_bytes = 0;        // as StepArrival has them, of all processes
  std::vector<std::uint32_t> evacuating;  // processes that are to be evacuated
  std::vector<WorkerSums> workers;
  std::vector<WorkerWork> at_first_homes;  // measured
  std::vector<PlanOutcome> outcomes;       // by MoveScope
  std::vector<NewHome> homes;              // of all ranks, before the step: for the report only
  void pup(pup::Puper& p) {
    p | processes | call | checkpoint | image | pinned | private_bytes | evacuating | workers | at_first_homes |
        outcomes | homes;
  }
  void add(const StepSums& other);
};

// The messages, in the order of step_tree.hpp. Each belongs to one step; a process may receive messages of the next
// step while it is still in the present one.

// To a process without ranks, which does not yet know that the others are in a step.
struct TreeBegun {
  static constexpr ControlKind kKind = ControlKind::tree_begun;
  std::uint64_t step = 0;
  void pup(pup::Puper& p) { p | step; }
};

// To every process, if the strategy uses messages: what the receiver's ranks have received from the sender's.
struct TreeReceived {
  static constexpr ControlKind kKind = ControlKind::tree_received;
  std::uint64_t step = 0;
  std::vector<ReceivedReport> reports;
  void pup(pup::Puper& p) { p | step | reports; }
};

// The sums of clusters of ranks: from a process to its host and, as another kind of message, from a host to process 0.
template <ControlKind kKindOf>
struct TreeSummaryOf {
  static constexpr ControlKind kKind = kKindOf;
  std::uint64_t step = 0;
  lb::Summary summary;
  void pup(pup::Puper& p) { p | step | summary; }
};
using TreeSummary = TreeSummaryOf<ControlKind::tree_summary>;
using TreeHostSummary = TreeSummaryOf<ControlKind::tree_host_summary>;

// From process 0 to a host.
struct TreeHostTargets {
  static constexpr ControlKind kKind = ControlKind::tree_host_targets;
  std::uint64_t step = 0;
  HostTargets targets;
  void pup(pup::Puper& p) { p | step | targets; }
};

// From one host to another: the clusters of ranks that go there.
struct TreeMigrantsOfHost {
  static constexpr ControlKind kKind = ControlKind::tree_migrants_of_host;
  std::uint64_t step = 0;
  std::vector<lb::MigrantCluster> clusters;
  void pup(pup::Puper& p) { p | step | clusters; }
};

// The answer: to which of its processes they go.
struct TreePlacements {
  static constexpr ControlKind kKind = ControlKind::tree_placements;
  std::uint64_t step = 0;
  std::vector<lb::Target> placements;
  void pup(pup::Puper& p) { p | step | placements; }
};

// From a host to each of its processes.
struct TreeTargets {
  static constexpr ControlKind kKind = ControlKind::tree_targets;
  std::uint64_t step = 0;
  ProcessTargets targets;
  void pup(pup::Puper& p) { p | step | targets; }
};

// From a process to another one: the ranks that the other one is to place.
struct TreeMigrants {
  static constexpr ControlKind kKind = ControlKind::tree_migrants;
  std::uint64_t step = 0;
  std::vector<MovingRank> ranks;
  void pup(pup::Puper& p) { p | step | ranks; }
};

// The outcomes of all plans: from a process to its host, and from a host to process 0.
struct TreeSums {
  static constexpr ControlKind kKind = ControlKind::tree_sums;
  std::uint64_t step = 0;
  StepSums sums;
  void pup(pup::Puper& p) { p | step | sums; }
};

// To the process to which a rank moves because it wanted to: its load history. Arrives before the sender's flush
// marker, so before the next step.
struct TreeHistory {
  static constexpr ControlKind kKind = ControlKind::tree_history;
  std::vector<TransferredHistory> ranks;
  void pup(pup::Puper& p) { p | ranks; }
};

}  // namespace lbstep
}  // namespace weft::runtime

// One process's part in a hierarchical balancing step: its own ranks, and those that come to it. TreeMember sends and
// receives for it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "lb/hierarchy.hpp"
#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "runtime/lbstep/tree_messages.hpp"

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace lbstep {

struct RankReport;
struct StepArrival;

// Call for each step: begin(), perhaps received(), summarize(), leave(), place_arrivals(), ended().
class TreeProcess {
 public:
  TreeProcess(const JobContext& job, const lb::Strategy& inner);

  // `arrival` has no ranks if the process has none.
  void begin(const StepArrival& arrival);
  // Messages that this process's ranks have sent to ranks of other processes, by process.
  std::map<std::uint32_t, std::vector<ReceivedReport>> sent() const;
  // What ranks of this process have received from ranks of process `from`.
  void received(std::uint32_t from, std::span<const ReceivedReport> reports);
  const lb::Summary& summarize(const lb::Links& links);
  // The ranks that other processes are to place, by process. `targets` has the destination of each cluster of the
  // summary.
  std::map<std::uint32_t, std::vector<MovingRank>> leave(const ProcessTargets& targets);
  // `arrivals`: by sender.
  StepSums place_arrivals(const std::map<std::uint32_t, std::vector<MovingRank>>& arrivals);
  // The moves within this process for this scope; no other process is told of them.
  const std::vector<NewHome>& local_moves_of(lb::MoveScope scope) const {
    return local_moves_[static_cast<std::size_t>(scope)];
  }
  // The step was decided so, at this call of migrate(). `announced_moves` are the moves that all processes are told of.
  // Returns the histories that other processes need from now on, by process: those of ranks that move because they
  // wanted to.
  std::map<std::uint32_t, std::vector<TransferredHistory>> ended(lb::MoveScope scope, std::uint64_t call,
                                                                 std::span<const NewHome> announced_moves);
  // Of ranks that move to this process because they wanted to.
  void add_histories(std::span<const TransferredHistory> ranks);

 private:
  struct RankFacts {
    std::uint32_t home = 0;    // its worker, numbered through the job
    std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
    double work = 0;           // predicted, at speed 1
    bool may_leave = true;
    std::uint64_t bytes = 0;
  };
  // Called by begin().
  void add_workers(const StepArrival& arrival);
  void add_ranks(const StepArrival& arrival);
  void add_outward();
  void add_interval(std::span<const RankReport> ranks, double calls);
  lb::LoadHistory history_of(std::span<const RankReport> ranks) const;
  void add_edges(lb::Instance& instance) const;
  PlanOutcome outcome(const lb::Instance& instance, const lb::Plan& plan, std::vector<NewHome>& local_moves) const;

  const JobContext& job_;
  const lb::Strategy& inner_;
  const std::unique_ptr<lb::LoadModel> model_;
  const bool reports_homes_;
  std::unordered_map<std::uint32_t, RankHistory> histories_;  // by rank
  std::uint64_t last_call_ = 0;

  // Of this step.
  lb::ProcessLoad load_;  // as measured and predicted
  lb::Instance after_;    // with the ranks that come, without those that leave
  lb::Summary summary_;
  StepSums sums_;
  std::unordered_map<std::uint32_t, RankFacts> rank_facts_;  // by rank: ranks that are here, and those that come
  std::vector<EdgeReport> sent_;                             // ascending
  std::unordered_map<std::uint32_t, std::uint32_t> left_;    // by rank: the process that is to place it
  std::unordered_map<std::uint32_t, RankHistory> arriving_histories_;  // by rank
  std::vector<std::vector<NewHome>> local_moves_;                      // by MoveScope
};

}  // namespace lbstep
}  // namespace weft::runtime

// One process's part in a balancing step that is decided in parts: its own ranks, and those that come to it.
// TreeMember sends and receives for it.
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

// Steps come one after the other; of each begin(), perhaps received(), summarize(), leave(), settle(), ended().
class TreeProcess {
 public:
  TreeProcess(const JobContext& job, const lb::Strategy& inner);

  // Without ranks: of a process that has none.
  void begin(const StepArrival& arrival);
  // Messages to other processes' ranks, by process.
  std::map<std::uint32_t, std::vector<ReceivedReport>> sent() const;
  void received(std::uint32_t from, std::span<const ReceivedReport> reports);
  const lb::Summary& summarize(const lb::Links& links);
  // The ranks that others are to place, by process.
  std::map<std::uint32_t, std::vector<MovingRank>> leave(std::span<const std::uint32_t> to);
  // By the process that they come from.
  Found settle(const std::map<std::uint32_t, std::vector<MovingRank>>& arrivals);
  // The moves within this process that belong to a choice: no other process hears of them.
  const std::vector<NewHome>& quiet_moves(lb::Choice choice) const { return quiet_[static_cast<std::size_t>(choice)]; }
  // So it was decided, at this call of migrate(); `public_moves` are the moves that all processes hear of. What others
  // must remember from now on, by process: of ranks that go where they wished to be.
  std::map<std::uint32_t, std::vector<Remembered>> ended(lb::Choice choice, std::uint64_t call,
                                                         std::span<const NewHome> public_moves);
  void remember(std::span<const Remembered> ranks);

 private:
  struct Known {
    std::uint32_t home = 0;    // through the whole job
    std::uint32_t wanted = 0;  // a worker, or Rank::kAnyWorker
    double work = 0;           // predicted, at speed 1
    bool may_leave = true;
    std::uint64_t bytes = 0;
  };
  // Of begin().
  void add_workers(const StepArrival& arrival);
  void add_ranks(const StepArrival& arrival);
  void add_outward();
  void remember_interval(std::span<const RankReport> ranks, double calls);
  lb::LoadHistory history_of(std::span<const RankReport> ranks) const;
  void add_edges(lb::Instance& instance) const;
  Outcome outcome(const lb::Instance& instance, const lb::Plan& plan, std::vector<NewHome>& quiet) const;

  const JobContext& job_;
  const lb::Strategy& inner_;
  const std::unique_ptr<lb::LoadModel> model_;
  const bool reports_homes_;
  std::unordered_map<std::uint32_t, RankMemory> memory_;  // by rank
  std::uint64_t last_call_ = 0;

  // Of this step.
  lb::ProcessLoad load_;  // as it was measured and predicted
  lb::Instance after_;    // with the ranks that came, without those that left
  lb::Summary summary_;
  Found found_;
  std::unordered_map<std::uint32_t, Known> known_;         // by rank: those here, and those that come
  std::vector<EdgeReport> sent_;                           // ascending
  std::unordered_map<std::uint32_t, std::uint32_t> left_;  // by rank: the process that is to place it
  std::unordered_map<std::uint32_t, RankMemory> brought_;  // by rank
  std::vector<std::vector<NewHome>> quiet_;                // by Choice
};

}  // namespace lbstep
}  // namespace weft::runtime

// Option --lb-continuous: plans on which worker each rank of a process should run, from its recent CPU time. There are
// no balancing steps: ranks move while the others run.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "lb/strategy.hpp"
#include "runtime/location/recent_loads.hpp"

namespace weft::runtime {
inline namespace control {
class Rank;
struct JobContext;
}  // namespace control

inline namespace location {

// Decides whether ranks move temporarily: between two plans an idle worker may get ready ranks, which go back when they
// are next ready. That fills idle time where loads change from moment to moment; where plans suffice it only costs
// moves. Both ways are tried, and the one that keeps the workers busier is kept.
class TemporaryMoves {
 public:
  // Ends an interval in which this part of the workers' time went into ranks. Returns whether to move ranks temporarily
  // in the next one.
  bool next(double utilization);

 private:
  bool moves_temporarily_ = true;
  std::uint32_t intervals_ = 0;
  double utilization_[2] = {};  // without and with temporary moves: means in which newer intervals count more
};

// A worker that has nothing to do requests a plan; the main thread makes it. A rank that should run on another worker
// gets that as its Rank::target_worker and moves there when it is next ready, so that no worker waits for another.
class ContinuousBalancer {
 public:
  explicit ContinuousBalancer(const JobContext& job);

  // Called by a worker that has nothing to do, at `now` ticks: has the main thread make a plan, if the last one is old
  // enough.
  void request_plan(std::uint64_t now) {
    if (now >= due_.load(std::memory_order_relaxed)) {
      post_plan();
    }
  }
  // Whether there has been a plan. Before the first one no rank has a worker that it should go back to.
  bool has_planned() const { return has_planned_.load(std::memory_order_relaxed); }
  // Whether idle workers are given ready ranks.
  bool moves_temporarily() const { return moves_temporarily_.load(std::memory_order_relaxed); }
  // Moves so far. Any thread.
  struct Counts {
    std::atomic<std::uint64_t> planned_moves = 0;
    std::atomic<std::uint64_t> temporary_moves = 0;  // to a worker that had nothing to do
    std::atomic<std::uint64_t> steals = 0;           // by such a worker, while the rank's worker ran another rank
  };
  Counts& counts() { return counts_; }
  // The counts and the number of plans as one line that ends in a newline. To be called once the workers have ended.
  std::string summary() const;
  // Has the rank move to that worker of the process when it is next ready. Any thread.
  void set_target(Rank& rank, std::uint32_t worker);
  // Takes the rank's target away and returns it; Rank::kAnyWorker where it has none. Any thread.
  std::uint32_t take_target(Rank& rank);

  // Move requests: the idle workers that would take a ready rank, and the ranks that have a target. While there is none
  // a worker need not look for moves between two ranks. Any thread.
  bool has_move_requests() const { return move_requests() != 0; }
  std::uint32_t move_requests() const { return move_requests_.load(std::memory_order_relaxed); }
  void add_move_request() { move_requests_.fetch_add(1, std::memory_order_relaxed); }
  void remove_move_request() { move_requests_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  void post_plan();  // unless a plan is under way
  void plan();
  bool should_move_temporarily(double wall);
  void set_targets(const lb::Instance& now, const lb::Plan& plan);

  const JobContext& job_;
  const std::unique_ptr<lb::Strategy> strategy_;
  std::atomic<std::uint64_t> due_ = 0;           // ticks: before that no plan is made
  std::atomic<bool> plan_is_under_way_ = false;  // requested and not finished
  std::atomic<bool> has_planned_ = false;
  std::atomic<bool> moves_temporarily_ = true;
  Counts counts_;
  // Touched by the main thread only.
  std::uint64_t plans_ = 0;
  std::uint64_t plans_that_move_ = 0;
  double wall_ = 0;              // seconds that the plans' intervals lasted, in all
  double seconds_in_ranks_ = 0;  // of the workers' time in these intervals, what went into ranks
  const bool oversubscribed_;    // more workers than cores: idle workers then say nothing about load
  TemporaryMoves temporary_moves_;
  RecentLoads loads_;
  std::uint64_t planned_at_ = 0;  // ticks

  alignas(64) std::atomic<std::uint32_t> move_requests_ = 0;  // read between any two ranks
};

}  // namespace location
}  // namespace weft::runtime

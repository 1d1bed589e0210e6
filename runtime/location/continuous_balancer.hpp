// Option --lb-continuous: where the ranks of a process should live by their recent CPU time. No balancing steps: ranks
// move while the others run.
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

// Temporary moves: between two plans an idle worker may get ready ranks, which go back when they are next ready. That
// fills its time where loads differ from moment to moment, and costs moves for nothing where a plan is enough. Both are
// tried, and what keeps the workers busier stays.
class TemporaryMoves {
 public:
  // An interval is over in which this part of the workers' time went into ranks: whether to move ranks temporarily in
  // the next one.
  bool next(double used);

 private:
  bool moves_temporarily_ = true;
  std::uint32_t intervals_ = 0;
  double used_[2] = {};  // without, with; of the last intervals, newer ones count more
};

// A worker that has nothing to do asks for a plan; the main thread makes it. Each rank that is to live elsewhere is
// marked (Rank::planned) and moves when it is next ready, so that nobody waits for anybody.
class ContinuousBalancer {
 public:
  explicit ContinuousBalancer(const JobContext& job);

  // Any worker, with nothing to do.
  void ask(std::uint64_t now) {
    if (now >= due_.load(std::memory_order_relaxed)) {
      order();
    }
  }
  // There has been a plan: where ranks are is no accident any more.
  bool has_planned() const { return has_planned_.load(std::memory_order_relaxed); }
  // Idle workers are given ready ranks.
  bool moves_temporarily() const { return moves_temporarily_.load(std::memory_order_relaxed); }
  // What has happened so far, for any thread.
  struct Counts {
    std::atomic<std::uint64_t> placed = 0;     // ranks that were given where a plan wants them
    std::atomic<std::uint64_t> temporary = 0;  // moves to a worker that had nothing to do
    std::atomic<std::uint64_t> stolen = 0;     // by such a worker, while theirs ran another rank
  };
  Counts& counts() { return counts_; }
  // That and the plans in one line, with its end. Once the workers have ended.
  std::string summary() const;
  // The rank is to be given to that worker. Any thread.
  void set_target(Rank& rank, std::uint32_t worker);
  // Where the rank is to be given to, once; Rank::kAnyWorker: it may stay where it is. Any thread.
  std::uint32_t take_target(Rank& rank);

  // How many workers would take a ready rank of another one, and how many ranks are to be given to a certain one: where
  // there is none of these, a worker has nothing to look for between two ranks. Any thread.
  bool has_reasons_to_share() const { return reasons_to_share() != 0; }
  std::uint32_t reasons_to_share() const { return reasons_to_share_.load(std::memory_order_relaxed); }
  void add_reason_to_share() { reasons_to_share_.fetch_add(1, std::memory_order_relaxed); }
  void remove_reason_to_share() { reasons_to_share_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  void order();
  void plan();
  bool next_moves_temporarily(double wall);
  void announce(const lb::Instance& now, const lb::Plan& plan);

  const JobContext& job_;
  const std::unique_ptr<lb::Strategy> strategy_;
  std::atomic<std::uint64_t> due_ = 0;  // ticks; when a plan is worth being asked for
  std::atomic<bool> ordered_ = false;
  std::atomic<bool> has_planned_ = false;
  std::atomic<bool> moves_temporarily_ = true;
  Counts counts_;
  // The main thread's.
  std::uint64_t plans_ = 0;
  std::uint64_t plans_that_move_ = 0;
  double wall_ = 0;     // seconds that plans were made from
  double used_ = 0;     // of the workers' time then, what went into ranks
  const bool crowded_;  // more workers than cores: who is idle says nothing then
  TemporaryMoves temporary_moves_;
  RecentLoads loads_;
  std::uint64_t planned_at_ = 0;  // ticks

  alignas(64) std::atomic<std::uint32_t> reasons_to_share_ = 0;  // read between any two ranks
};

}  // namespace location
}  // namespace weft::runtime

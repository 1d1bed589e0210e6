// What the continuous balancer plans with: what the ranks and workers of the process have done lately.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "runtime/sched/lb_intervals.hpp"

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace location {

// On the main thread. An interval ends where the next one begins.
class RecentLoads {
 public:
  explicit RecentLoads(const JobContext& job);

  // Ends an interval that was `wall` seconds long; false where that says too little yet: then it goes on.
  bool measure(double wall);
  // The ranks and workers as they are now, with the loads to expect in an interval as long as the last one.
  lb::Instance instance(double wall);
  // Of the workers' time in the last interval, what went into ranks.
  double seconds_in_ranks() const;

 private:
  const JobContext& job_;
  const std::unique_ptr<lb::LoadModel> model_;
  lb::LoadHistory history_;
  WorkerIntervals worker_intervals_;
  std::vector<std::uint64_t> cycles_;  // by rank: Load::cycles when the interval began
  std::vector<std::uint64_t> switches_;
  std::vector<double> seconds_;  // by rank, of the last interval
};

}  // namespace location
}  // namespace weft::runtime

// Measures the recent loads of the ranks and workers of the process, for the continuous balancer.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "runtime/sched/interval_meters.hpp"

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace location {

// Used on the main thread. An interval begins where the last one ended.
class RecentLoads {
 public:
  explicit RecentLoads(const JobContext& job);

  // Ends an interval that was `wall` seconds long. False while some rank has switched too seldom in it to tell much:
  // then the interval goes on.
  bool measure(double wall);
  // The ranks and workers as they are now, with the loads to expect in an interval as long as the last one.
  lb::Instance instance(double wall);
  // The part of the workers' time in the last interval that went into ranks, in seconds.
  double seconds_in_ranks() const;

 private:
  const JobContext& job_;
  const std::unique_ptr<lb::LoadModel> model_;
  lb::LoadHistory history_;
  WorkerIntervalMeters interval_meters_;
  std::vector<std::uint64_t> cycles_;    // by rank: Load::cycles when the interval began
  std::vector<std::uint64_t> switches_;  // likewise, Load::switches
  std::vector<double> seconds_;          // by rank, of the last interval
};

}  // namespace location
}  // namespace weft::runtime

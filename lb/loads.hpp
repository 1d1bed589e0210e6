// Computes loads of workers in seconds from instances and plans, for strategies and rules of when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lb/strategy.hpp"

namespace weft::lb {

// Stops the program unless the instance has a worker, homes are its workers, speeds are positive and edges join its
// ranks.
void check_instance(const Instance& instance);

// A rank's seconds are measured at its home. Its work is what they would be at speed 1.
inline double work_of(const Instance& instance, const RankLoad& rank) {
  return rank.seconds * instance.workers[number(rank.home)].speed;
}
// The plan that moves nothing.
Plan homes_of(const Instance& instance);
// For each worker: its background, and the ranks that it has in the plan, at its speed.
std::vector<double> worker_seconds(const Instance& instance, const Plan& plan);
// For each worker: its background, and the ranks that may not leave it.
std::vector<double> fixed_seconds(const Instance& instance);
// Seconds of the last worker to finish. Workers without ranks do not count. 0 without ranks.
double longest_seconds(const Instance& instance, const Plan& plan);
// The level T to which the movable work fills the workers up over their fixed seconds f and at their speeds s:
// sum of max(0, T - f) * s = movable work. In every plan some worker with movable work finishes at T or later.
double ideal_seconds(const Instance& instance);

struct Moves {
  std::uint64_t ranks = 0;
  std::uint64_t bytes = 0;  // of those that change their process
};
Moves moves_of(const Instance& instance, const Plan& plan);

// Returns the plan if it finishes earlier than the homes, else the homes. With a `tolerance` above 0 a plan that ends
// within `tolerance` times the ideal level is also accepted: for strategies that aim at more than balance.
Plan not_worse(const Instance& instance, Plan plan, double tolerance = 0.0);

}  // namespace weft::lb

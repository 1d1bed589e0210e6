#include "lb/loads.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/check.hpp"

namespace weft::lb {

void check_instance(const Instance& instance) {
  base::check(!instance.workers.empty(), "an instance needs at least one worker");
  for (const WorkerLoad& worker : instance.workers) {
    base::check(worker.speed > 0.0, "a worker's speed is above 0");
  }
  for (const RankLoad& rank : instance.ranks) {
    base::check(number(rank.home) < instance.workers.size(), "a rank's home is one of the instance's workers");
  }
  for (const Edge& edge : instance.edges) {
    base::check(edge.from < instance.ranks.size() && edge.to < instance.ranks.size(),
                "an edge joins two of the instance's ranks");
  }
}

Plan homes_of(const Instance& instance) {
  Plan plan;
  plan.reserve(instance.ranks.size());
  for (const RankLoad& rank : instance.ranks) {
    plan.push_back(rank.home);
  }
  return plan;
}

std::vector<double> worker_seconds(const Instance& instance, const Plan& plan) {
  // Divides the sum instead of each rank's work, for speed: there may be a million ranks.
  std::vector<double> seconds(instance.workers.size());
  for (std::size_t i = 0; i < plan.size(); ++i) {
    seconds[number(plan[i])] += work_of(instance, instance.ranks[i]);
  }
  for (std::size_t worker = 0; worker < seconds.size(); ++worker) {
    seconds[worker] = seconds[worker] / instance.workers[worker].speed + instance.workers[worker].background_seconds;
  }
  return seconds;
}

std::vector<double> fixed_seconds(const Instance& instance) {
  std::vector<double> seconds;
  seconds.reserve(instance.workers.size());
  for (const WorkerLoad& worker : instance.workers) {
    seconds.push_back(worker.background_seconds);
  }
  for (const RankLoad& rank : instance.ranks) {
    if (!rank.may_move) {
      seconds[number(rank.home)] += rank.seconds;
    }
  }
  return seconds;
}

double longest_seconds(const Instance& instance, const Plan& plan) {
  const std::vector<double> seconds = worker_seconds(instance, plan);
  double longest = 0.0;
  for (const WorkerId worker : plan) {
    longest = std::max(longest, seconds[number(worker)]);
  }
  return longest;
}

double ideal_seconds(const Instance& instance) {
  const std::vector<double> fixed = fixed_seconds(instance);
  double work = 0.0;
  for (const RankLoad& rank : instance.ranks) {
    work += rank.may_move ? work_of(instance, rank) : 0.0;
  }
  std::vector<std::size_t> order(fixed.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return fixed[a] < fixed[b]; });
  // Water-filling: adds workers by rising f; with those below the level, T = (work + sum of f s) / (sum of s).
  double level = 0.0;
  double speed = 0.0;
  for (const std::size_t worker : order) {
    if (speed > 0.0 && work / speed <= fixed[worker]) {
      break;
    }
    speed += instance.workers[worker].speed;
    work += fixed[worker] * instance.workers[worker].speed;
    level = work / speed;
  }
  return level;
}

Moves moves_of(const Instance& instance, const Plan& plan) {
  Moves moves;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    if (plan[i] != rank.home) {
      ++moves.ranks;
      const auto& from = instance.workers[number(rank.home)].place;
      const auto& to = instance.workers[number(plan[i])].place;
      moves.bytes += from.process != to.process ? rank.bytes : 0;
    }
  }
  return moves;
}

Plan not_worse(const Instance& instance, Plan plan, double tolerance) {
  Plan homes = homes_of(instance);
  const double after = longest_seconds(instance, plan);
  const bool passes =
      after < longest_seconds(instance, homes) || (tolerance > 0.0 && after <= tolerance * ideal_seconds(instance));
  return std::move(passes ? plan : homes);
}

}  // namespace weft::lb

#include "lb/greedy.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "base/check.hpp"

namespace weft::lb {
namespace {

// Seconds were measured at home; on another worker they scale with the speeds.
double seconds_on(const Instance& instance, const RankLoad& rank, std::uint32_t worker) {
  return rank.seconds * instance.workers[number(rank.home)].speed / instance.workers[worker].speed;
}

// The indices of the ranks that may move, longest first; equal ones in their order.
std::vector<std::size_t> longest_first(const Instance& instance) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < instance.ranks.size(); ++i) {
    if (instance.ranks[i].may_move) {
      order.push_back(i);
    }
  }
  const auto work = [&](std::size_t i) { return seconds_on(instance, instance.ranks[i], 0); };
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return work(a) > work(b); });
  return order;
}

}  // namespace

Plan Greedy::solve(const Instance& instance) const {
  base::check(!instance.workers.empty(), "an instance needs at least one worker");

  Plan plan(instance.ranks.size());
  std::vector<double> load;
  load.reserve(instance.workers.size());
  for (const WorkerLoad& worker : instance.workers) {
    load.push_back(worker.background_seconds);
  }
  for (std::size_t i = 0; i < instance.ranks.size(); ++i) {
    const RankLoad& rank = instance.ranks[i];
    base::check(number(rank.home) < load.size(), "a rank's home is one of the instance's workers");
    plan[i] = rank.home;
    if (!rank.may_move) {
      load[number(rank.home)] += rank.seconds;
    }
  }

  // Ties go to the lowest worker, so equal inputs give equal plans on every machine.
  using Bin = std::pair<double, std::uint32_t>;
  std::priority_queue<Bin, std::vector<Bin>, std::greater<>> lightest;
  for (std::uint32_t worker = 0; worker < load.size(); ++worker) {
    lightest.emplace(load[worker], worker);
  }
  for (const std::size_t i : longest_first(instance)) {
    const auto [seconds, worker] = lightest.top();
    lightest.pop();
    plan[i] = WorkerId{worker};
    lightest.emplace(seconds + seconds_on(instance, instance.ranks[i], worker), worker);
  }
  return plan;
}

}  // namespace weft::lb

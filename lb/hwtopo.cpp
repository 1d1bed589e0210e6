#include "lb/hwtopo.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lb/communication.hpp"
#include "lb/loads.hpp"
#include "lb/ranks_by_work.hpp"

namespace weft::lb {
namespace {

constexpr double kEnough = 1.02;
// Rounding errors of sums must not count as a gain.
constexpr double kLess = 1.0 - 1e-9;

using Cost = std::pair<double, std::uint32_t>;  // seconds, worker

class Descent {
 public:
  explicit Descent(const Instance& instance)
      : instance_(instance),
        neighbours_(instance),
        plan_(homes_of(instance)),
        cost_(worker_seconds(instance, plan_)),
        ranks_(ranks_by_work(instance, std::vector<bool>(cost_.size(), true))) {
    const std::vector<double> messages = message_seconds(instance, neighbours_, plan_);
    std::map<std::tuple<int, std::uint32_t, std::uint32_t>, std::uint32_t> groups;
    for (std::uint32_t worker = 0; worker < cost_.size(); ++worker) {
      cost_[worker] += messages[worker];
      const Place& place = instance.workers[worker].place;
      const auto group = [&](int level, std::uint32_t a, std::uint32_t b) {
        const auto [at, is_new] = groups.try_emplace({level, a, b}, groups_.size());
        if (is_new) {
          groups_.emplace_back();
        }
        groups_[at->second].emplace(cost_[worker], worker);
        return at->second;
      };
      groups_of_.push_back(
          {group(0, place.process, place.numa), group(1, place.process, 0), group(2, place.host, 0), group(3, 0, 0)});
    }
  }

  Plan run() && {
    double mean = 0.0;
    for (const double cost : cost_) {
      mean += cost / static_cast<double>(cost_.size());
    }
    auto& job = groups_[groups_of_.front()[3]];
    while (!job.empty()) {
      const auto [cost, worker] = *job.rbegin();
      if (cost <= kEnough * mean || !relieve(worker)) {
        break;
      }
    }
    return std::move(plan_);
  }

 private:
  void add_cost(std::uint32_t worker, double seconds) {
    for (const std::uint32_t group : groups_of_[worker]) {
      groups_[group].erase({cost_[worker], worker});
      groups_[group].emplace(cost_[worker] + seconds, worker);
    }
    cost_[worker] += seconds;
  }

  // Tries the worker's ranks, largest first. A rank for which there is no better worker is not tried again.
  bool relieve(std::uint32_t donor) {
    for (std::size_t at = ranks_[donor].largest_up_to(std::numeric_limits<double>::max()); at != RanksByWork::kNone;
         at = ranks_[donor].largest_up_to(std::numeric_limits<double>::max())) {
      const std::uint32_t rank = ranks_[donor][at].rank;
      ranks_[donor].remove(at);
      if (send(rank, donor)) {
        return true;
      }
    }
    return false;
  }

  bool send(std::uint32_t rank, std::uint32_t donor) {
    const double work = work_of(instance_, instance_.ranks[rank]);
    const double there = message_seconds(instance_, neighbours_, plan_, rank, donor);
    std::uint32_t best = donor;
    double least = cost_[donor] * kLess;
    const auto consider = [&](std::uint32_t worker) {
      if (worker != donor) {
        const double cost = cost_[worker] + work / instance_.workers[worker].speed +
                            message_seconds(instance_, neighbours_, plan_, rank, worker);
        if (cost < least) {
          least = cost;
          best = worker;
        }
      }
    };
    for (const std::uint32_t group : groups_of_[donor]) {
      consider(groups_[group].begin()->second);
    }
    for (const Neighbour& neighbour : neighbours_.of(rank)) {
      consider(number(plan_[neighbour.rank]));
    }
    if (best == donor) {
      return false;
    }
    move(rank, donor, best, there);
    return true;
  }

  void move(std::uint32_t rank, std::uint32_t from, std::uint32_t to, double messages_before) {
    const double work = work_of(instance_, instance_.ranks[rank]);
    for (const auto& [other, messages, bytes] : neighbours_.of(rank)) {
      const std::uint32_t there = number(plan_[other]);
      add_cost(there, link_seconds(instance_, distance_between(instance_, to, there), messages, bytes) -
                          link_seconds(instance_, distance_between(instance_, from, there), messages, bytes));
    }
    plan_[rank] = WorkerId{to};
    add_cost(from, -work / instance_.workers[from].speed - messages_before);
    add_cost(to, work / instance_.workers[to].speed + message_seconds(instance_, neighbours_, plan_, rank, to));
  }

  const Instance& instance_;
  Neighbours neighbours_;
  Plan plan_;
  std::vector<double> cost_;
  std::vector<RanksByWork> ranks_;
  std::vector<std::set<Cost>> groups_;                   // NUMA nodes, processes, hosts, the job; least cost first
  std::vector<std::array<std::uint32_t, 4>> groups_of_;  // by worker
};

}  // namespace

Plan HwTopo::solve(const Instance& instance) const {
  check_instance(instance);
  return not_worse(instance, Descent(instance).run());
}

}  // namespace weft::lb

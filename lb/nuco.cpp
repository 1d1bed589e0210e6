#include "lb/nuco.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "lb/communication.hpp"
#include "lb/loads.hpp"

namespace weft::lb {
namespace {

class NucoSchedule {
 public:
  explicit NucoSchedule(const Instance& instance)
      : instance_(instance),
        neighbours_(instance),
        plan_(homes_of(instance)),
        seconds_(worker_seconds(instance, plan_)) {
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::uint32_t> nodes;
    for (std::uint32_t worker = 0; worker < seconds_.size(); ++worker) {
      const Place& place = instance.workers[worker].place;
      const auto [node, is_new] = nodes.try_emplace({place.host, place.process, place.numa}, nodes_.size());
      if (is_new) {
        nodes_.emplace_back();
      }
      node_of_.push_back(node->second);
      nodes_[node->second].emplace(seconds_[worker], worker);
    }
  }

  Plan run() && {
    std::vector<std::uint32_t> order(plan_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) {
      return work_of(instance_, instance_.ranks[a]) > work_of(instance_, instance_.ranks[b]);
    });
    for (const std::uint32_t rank : order) {
      if (instance_.ranks[rank].may_move && instance_.ranks[rank].seconds > 0.0) {
        place(rank);
      }
    }
    return std::move(plan_);
  }

 private:
  void set_seconds(std::uint32_t worker, double seconds) {
    auto& node = nodes_[node_of_[worker]];
    node.erase({seconds_[worker], worker});
    seconds_[worker] = seconds;
    node.emplace(seconds, worker);
  }

  // Seconds of the rank's messages from a worker to other nodes, minus those within the worker's node.
  [[nodiscard]] double remote_less_local(std::uint32_t rank, std::uint32_t worker) const {
    double seconds = 0.0;
    for (const auto& [other, messages, bytes] : neighbours_.of(rank)) {
      const std::uint32_t there = number(plan_[other]);
      const Distance distance = distance_between(instance_, worker, there);
      const double part = link_seconds(instance_, distance, messages, bytes);
      seconds += distance <= Distance::kSameNuma ? -part : part;
    }
    return seconds;
  }

  void place(std::uint32_t rank) {
    const double work = work_of(instance_, instance_.ranks[rank]);
    const std::uint32_t home = number(plan_[rank]);
    const double home_seconds = work / instance_.workers[home].speed;
    set_seconds(home, seconds_[home] - home_seconds);
    // Rounding errors of sums must not count as a gain.
    std::uint32_t best = home;
    double least = (seconds_[home] + home_seconds) * (1.0 - 1e-9) + remote_less_local(rank, home);
    for (const auto& node : nodes_) {
      const auto [seconds, worker] = *node.begin();
      const double cost = seconds + work / instance_.workers[worker].speed + remote_less_local(rank, worker);
      if (cost < least) {
        least = cost;
        best = worker;
      }
    }
    plan_[rank] = WorkerId{best};
    set_seconds(best, seconds_[best] + work / instance_.workers[best].speed);
  }

  const Instance& instance_;
  Neighbours neighbours_;
  Plan plan_;
  std::vector<double> seconds_;
  std::vector<std::uint32_t> node_of_;
  std::vector<std::set<std::pair<double, std::uint32_t>>> nodes_;  // workers, least loaded first
};

}  // namespace

Plan Nuco::solve(const Instance& instance) const {
  check_instance(instance);
  return not_worse(instance, NucoSchedule(instance).run());
}

}  // namespace weft::lb

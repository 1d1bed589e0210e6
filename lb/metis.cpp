#include "lb/metis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "lb/communication.hpp"
#include "lb/hwtopo.hpp"
#include "lb/loads.hpp"
#include "lb/partition.hpp"

namespace weft::lb {
namespace {

using Numbers = std::vector<std::uint32_t>;

// METIS uses 32-bit integers: sums of weights stay below 2^31.
constexpr double kLargestSum = 1e9;
constexpr float kTolerance = 1.05F;
constexpr int kLevels = 4;  // host, process, NUMA node, worker
constexpr std::array kDistances = {Distance::kOtherHost, Distance::kSameHost, Distance::kSameProcess,
                                   Distance::kSameNuma};

std::int32_t scaled(double value, double scale) {
  return std::max(std::int32_t{1}, static_cast<std::int32_t>(value * scale));
}

// The workers of one host, process or NUMA node, or one worker; and the group's share of the movable work.
struct Group {
  Numbers workers;
  double share = 0.0;
};

class Division {
 public:
  explicit Division(const Instance& instance)
      : instance_(instance),
        neighbours_(instance),
        plan_(homes_of(instance)),
        wanted_(fixed_seconds(instance)),
        local_(instance.ranks.size(), -1) {
    const double level = ideal_seconds(instance);
    for (std::size_t worker = 0; worker < wanted_.size(); ++worker) {
      wanted_[worker] = std::max(0.0, level - wanted_[worker]) * instance.workers[worker].speed;
    }
  }

  Plan run() && {
    Numbers ranks;
    double work = 0.0;
    for (std::uint32_t rank = 0; rank < plan_.size(); ++rank) {
      if (instance_.ranks[rank].may_move) {
        ranks.push_back(rank);
        work += instance_.ranks[rank].seconds;
      }
    }
    if (work > 0.0) {
      Numbers workers(instance_.workers.size());
      std::iota(workers.begin(), workers.end(), 0U);
      divide(ranks, workers, 0);
    }
    return std::move(plan_);
  }

 private:
  void divide(const Numbers& ranks, const Numbers& workers, int level) {
    if (ranks.empty()) {
      return;
    }
    if (workers.size() == 1) {
      for (const std::uint32_t rank : ranks) {
        plan_[rank] = WorkerId{workers.front()};
      }
      return;
    }
    const std::vector<Group> groups = groups_of(workers, level);
    if (groups.size() == 1) {
      divide(ranks, workers, level + 1);
      return;
    }
    const std::vector<Numbers> parts = parts_of(ranks, groups, level);
    const Numbers places = places_of(parts, groups, level);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      divide(parts[p], groups[places[p]].workers, std::min(level + 1, kLevels - 1));
    }
  }

  std::vector<Group> groups_of(const Numbers& workers, int level) const {
    std::map<std::uint32_t, Group> by_place;
    double all = 0.0;
    for (const std::uint32_t worker : workers) {
      const Place& place = instance_.workers[worker].place;
      const std::uint32_t keys[kLevels] = {place.host, place.process, place.numa, worker};
      Group& group = by_place[keys[level]];
      group.workers.push_back(worker);
      group.share += wanted_[worker];
      all += wanted_[worker];
    }
    std::vector<Group> groups;
    for (auto& [key, group] : by_place) {
      group.share = all > 0.0 ? group.share / all : 1.0 / static_cast<double>(by_place.size());
      groups.push_back(std::move(group));
    }
    return groups;
  }

  // For as many ranks as groups or fewer, which METIS cannot divide: the longest first, each to the group with the most
  // room.
  std::vector<Numbers> divide_greedily(Numbers ranks, const std::vector<Group>& groups) const {
    std::vector<double> room;
    double work = 0.0;
    for (const std::uint32_t rank : ranks) {
      work += work_of(instance_, instance_.ranks[rank]);
    }
    for (const Group& group : groups) {
      room.push_back(group.share * work);
    }
    std::stable_sort(ranks.begin(), ranks.end(), [&](auto a, auto b) {
      return work_of(instance_, instance_.ranks[a]) > work_of(instance_, instance_.ranks[b]);
    });
    std::vector<Numbers> parts(groups.size());
    for (const std::uint32_t rank : ranks) {
      const auto most = std::max_element(room.begin(), room.end());
      *most -= work_of(instance_, instance_.ranks[rank]);
      parts[static_cast<std::size_t>(most - room.begin())].push_back(rank);
    }
    return parts;
  }

  std::vector<Numbers> parts_of(const Numbers& ranks, const std::vector<Group>& groups, int level) {
    if (ranks.size() <= groups.size()) {
      return divide_greedily(ranks, groups);
    }
    std::vector<float> shares;
    float sum = 0.0F;
    for (const Group& group : groups) {  // METIS needs positive shares
      shares.push_back(std::max(1e-4F, static_cast<float>(group.share)));
      sum += shares.back();
    }
    for (float& share : shares) {
      share /= sum;
    }
    const Numbers part = partition(graph_of(ranks, level), shares, kTolerance);
    std::vector<Numbers> parts(groups.size());
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      parts[part[i]].push_back(ranks[i]);
    }
    return parts;
  }

  // An edge's weight is the time of its messages between two groups of this level.
  Graph graph_of(const Numbers& ranks, int level) {
    double work = 0.0;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      local_[ranks[i]] = static_cast<std::int32_t>(i);
      work += work_of(instance_, instance_.ranks[ranks[i]]);
    }
    Graph graph;
    graph.first.push_back(0);
    std::vector<double> seconds;  // of edges
    for (const std::uint32_t rank : ranks) {
      graph.work.push_back(scaled(work_of(instance_, instance_.ranks[rank]), work > 0.0 ? kLargestSum / work : 0.0));
      std::map<std::int32_t, double> edges;
      for (const auto& [other, messages, bytes] : neighbours_.of(rank)) {
        if (local_[other] >= 0) {
          edges[local_[other]] += link_seconds(instance_, kDistances[static_cast<std::size_t>(level)], messages, bytes);
        }
      }
      for (const auto& [other, its] : edges) {
        graph.neighbours.push_back(other);
        seconds.push_back(its);
      }
      graph.first.push_back(static_cast<std::int32_t>(graph.neighbours.size()));
    }
    const double all = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    for (const double its : seconds) {
      graph.weights.push_back(scaled(its, all > 0.0 ? kLargestSum / all : 0.0));
    }
    for (const std::uint32_t rank : ranks) {
      local_[rank] = -1;
    }
    return graph;
  }

  // By part: the group that it goes to. Part p has the share of group p, so it may go to any group with the same share.
  Numbers places_of(const std::vector<Numbers>& parts, const std::vector<Group>& groups, int level) const {
    struct Pair {
      double saved;
      std::uint32_t part;
      std::uint32_t group;
    };
    Numbers group_of(instance_.workers.size(), 0);
    std::vector<bool> inside(instance_.workers.size());
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      for (const std::uint32_t worker : groups[g].workers) {
        group_of[worker] = g;
        inside[worker] = true;
      }
    }
    std::vector<Pair> pairs;
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      std::map<std::uint32_t, double> saved;
      for (const std::uint32_t rank : parts[p]) {
        add_saved(rank, level, [&](std::uint32_t worker, double seconds) {
          if (inside[worker]) {
            saved[group_of[worker]] += seconds;
          }
        });
      }
      for (const auto& [group, seconds] : saved) {
        if (share_class(groups[p], groups.size()) == share_class(groups[group], groups.size())) {
          pairs.push_back({seconds, p, group});
        }
      }
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.saved > b.saved; });
    constexpr std::uint32_t kNowhere = UINT32_MAX;
    Numbers place(parts.size(), kNowhere);
    std::vector<bool> taken(groups.size());
    for (const Pair& pair : pairs) {
      if (place[pair.part] == kNowhere && !taken[pair.group]) {
        place[pair.part] = pair.group;
        taken[pair.group] = true;
      }
    }
    for (std::uint32_t p = 0; p < parts.size(); ++p) {
      for (std::uint32_t g = 0; g < groups.size() && place[p] == kNowhere; ++g) {
        if (!taken[g] && share_class(groups[p], groups.size()) == share_class(groups[g], groups.size())) {
          place[p] = g;
          taken[g] = true;
        }
      }
    }
    return place;
  }

  static long share_class(const Group& group, std::size_t groups) {
    return std::lround(group.share * static_cast<double>(groups) * 50.0);
  }

  // Calls `add(worker, seconds)` with the seconds saved if the rank's part goes to the worker's group.
  template <typename Add>
  void add_saved(std::uint32_t rank, int level, const Add& add) const {
    const RankLoad& load = instance_.ranks[rank];
    const double bytes = level < 2 ? static_cast<double>(load.bytes) : 0.0;
    add(number(load.home), instance_.seconds_per_move + bytes * instance_.seconds_per_moved_byte);
    for (const auto& [other, messages, sent] : neighbours_.of(rank)) {
      if (!instance_.ranks[other].may_move) {
        add(number(instance_.ranks[other].home),
            link_seconds(instance_, kDistances[static_cast<std::size_t>(level)], messages, sent));
      }
    }
  }

  const Instance& instance_;
  Neighbours neighbours_;
  Plan plan_;
  std::vector<double> wanted_;       // by worker: the movable work that it should get
  std::vector<std::int32_t> local_;  // by rank: its vertex, or -1; all are -1 between uses
};

// The instance with the plan's workers as homes.
Instance with_homes(Instance instance, const Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    RankLoad& rank = instance.ranks[i];
    rank.seconds = work_of(instance, rank) / instance.workers[number(plan[i])].speed;
    rank.home = plan[i];
  }
  return instance;
}

}  // namespace

Plan partitioned(const Instance& instance) { return Division(instance).run(); }

double seconds_with_messages(const Instance& instance, const Plan& plan) {
  const std::vector<double> seconds = worker_seconds(instance, plan);
  const std::vector<double> messages = message_seconds(instance, Neighbours(instance), plan);
  double longest = 0.0;
  for (const WorkerId worker : plan) {
    longest = std::max(longest, seconds[number(worker)] + messages[number(worker)]);
  }
  return longest;
}

double seconds_of_moves(const Instance& instance, const Plan& plan) {
  const Moves moves = moves_of(instance, plan);
  return static_cast<double>(moves.ranks) * instance.seconds_per_move +
         static_cast<double>(moves.bytes) * instance.seconds_per_moved_byte;
}

Plan Metis::solve(const Instance& instance) const {
  check_instance(instance);
  const auto cost = [&](const Plan& plan) {
    return static_cast<double>(intervals_) * seconds_with_messages(instance, plan) + seconds_of_moves(instance, plan);
  };
  Plan diffused = HwTopo().solve(instance);
  Plan divided = HwTopo().solve(with_homes(instance, partitioned(instance)));
  const bool from_scratch = cost(divided) < cost(diffused) &&
                            longest_seconds(instance, divided) < longest_seconds(instance, homes_of(instance));
  return not_worse(instance, from_scratch ? std::move(divided) : std::move(diffused));
}

}  // namespace weft::lb

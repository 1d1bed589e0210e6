#include "lb/hierarchy.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "lb/loads.hpp"

namespace weft::lb {
namespace {

void add_traffic(std::vector<ProcessTraffic>& sums, std::span<const ProcessTraffic> more) {
  for (const ProcessTraffic& traffic : more) {
    const auto at =
        std::lower_bound(sums.begin(), sums.end(), traffic.process,
                         [](const ProcessTraffic& sum, std::uint32_t process) { return sum.process < process; });
    if (at != sums.end() && at->process == traffic.process) {
      at->messages += traffic.messages;
      at->bytes += traffic.bytes;
    } else {
      sums.insert(at, traffic);
    }
  }
}

// Fills one cluster after the other up to an equal share of the work.
class ClusterBuilder {
 public:
  ClusterBuilder(double work, std::size_t items, std::size_t count)
      : share_(items > count ? work / static_cast<double>(count) : 0.0), count_(count) {}

  void add(double work, std::uint64_t bytes, std::span<const ProcessTraffic> traffic, std::uint32_t position) {
    if (clusters_.empty() || (clusters_.size() < count_ && clusters_.back().work + work / 2.0 > share_)) {
      clusters_.emplace_back().first = position;
    }
    RankCluster& cluster = clusters_.back();
    cluster.work += work;
    cluster.bytes += bytes;
    cluster.end = position + 1;
    add_traffic(cluster.traffic, traffic);
  }
  std::vector<RankCluster> clusters() && { return std::move(clusters_); }

 private:
  double share_;
  std::size_t count_;
  std::vector<RankCluster> clusters_;
};

}  // namespace

Summary summarize(const ProcessLoad& process, std::size_t count) {
  Summary summary;
  summary.place = process.place;
  for (const WorkerLoad& worker : process.instance.workers) {
    summary.speed += worker.speed;
    summary.fixed_work += worker.background_seconds * worker.speed;
  }
  double work = 0.0;
  std::size_t movable = 0;
  for (const RankLoad& rank : process.instance.ranks) {
    (rank.may_move ? work : summary.fixed_work) += work_of(process.instance, rank);
    movable += rank.may_move ? 1 : 0;
  }
  ClusterBuilder builder(work, movable, count);
  for (std::uint32_t i = 0; i < process.instance.ranks.size(); ++i) {
    const RankLoad& rank = process.instance.ranks[i];
    if (rank.may_move) {
      const auto traffic = process.outward.empty() ? std::span<const ProcessTraffic>() : std::span(process.outward[i]);
      builder.add(work_of(process.instance, rank), rank.bytes, traffic, i);
    }
  }
  summary.clusters = std::move(builder).clusters();
  return summary;
}

Summary summarize(std::span<const Summary> children, std::size_t count) {
  Summary summary;
  summary.place = children.front().place;
  double work = 0.0;
  std::size_t items = 0;
  for (const Summary& child : children) {
    summary.speed += child.speed;
    summary.fixed_work += child.fixed_work;
    items += child.clusters.size();
    for (const RankCluster& cluster : child.clusters) {
      work += cluster.work;
    }
  }
  ClusterBuilder builder(work, items, count);
  std::uint32_t position = 0;
  for (const Summary& child : children) {
    for (const RankCluster& cluster : child.clusters) {
      builder.add(cluster.work, cluster.bytes, cluster.traffic, position++);
    }
  }
  summary.clusters = std::move(builder).clusters();
  return summary;
}

Assignment assign(const Strategy& strategy, std::span<const Summary> children, const Instance& costs,
                  std::span<const std::uint32_t> traffic_child) {
  Instance instance;
  instance.links = costs.links;
  instance.seconds_per_move = costs.seconds_per_move;
  instance.seconds_per_moved_byte = costs.seconds_per_moved_byte;
  const auto rank_of = [](std::size_t i) { return RankId{static_cast<std::uint32_t>(i)}; };
  for (std::uint32_t child = 0; child < children.size(); ++child) {
    const Summary& summary = children[child];
    instance.workers.push_back({summary.speed, summary.fixed_work / summary.speed, {child, child, summary.place.host}});
    for (const RankCluster& cluster : summary.clusters) {
      instance.ranks.push_back(
          {rank_of(instance.ranks.size()), WorkerId{child}, cluster.work / summary.speed, cluster.bytes, true});
    }
  }
  // Destinations of the other ends of messages are not known here, but most ranks stay. Each child therefore gets an
  // immovable rank without load, which stands for the ranks that communicate with it.
  const auto first_anchor = static_cast<std::uint32_t>(instance.ranks.size());
  for (std::uint32_t child = 0; child < children.size(); ++child) {
    instance.ranks.push_back({rank_of(instance.ranks.size()), WorkerId{child}, 0.0, 0, false});
  }
  std::uint32_t from = 0;
  for (const Summary& summary : children) {
    for (const RankCluster& cluster : summary.clusters) {
      for (const ProcessTraffic& traffic : cluster.traffic) {
        if (traffic_child[traffic.process] < children.size()) {
          instance.edges.push_back(
              {from, first_anchor + traffic_child[traffic.process], traffic.messages, traffic.bytes});
        }
      }
      ++from;
    }
  }
  const Plan plan = strategy.solve(instance);
  Assignment assignment;
  auto next = plan.begin();
  for (const Summary& summary : children) {
    auto& mine = assignment.emplace_back();
    for (std::size_t i = 0; i < summary.clusters.size(); ++i) {
      mine.push_back(number(*next++));
    }
  }
  return assignment;
}

HostStep::HostStep(std::vector<std::uint32_t> processes, std::vector<Summary> summaries)
    : processes_(std::move(processes)), children_(std::move(summaries)), summary_(summarize(children_, kMostClusters)) {
  for (const Summary& child : children_) {
    stays_.emplace_back(child.clusters.size(), true);
  }
}

std::map<std::uint32_t, std::vector<MigrantCluster>> HostStep::extract_departing(std::uint32_t self,
                                                                                 std::span<const std::uint32_t> hosts) {
  std::map<std::uint32_t, std::vector<MigrantCluster>> migrants;
  std::uint32_t position = 0;  // through all children's clusters
  std::size_t mine = 0;        // of the summary's clusters
  for (std::size_t child = 0; child < children_.size() && !hosts.empty(); ++child) {
    for (std::uint32_t b = 0; b < children_[child].clusters.size(); ++b, ++position) {
      while (summary_.clusters[mine].end <= position) {
        ++mine;
      }
      if (hosts[mine] != self) {
        stays_[child][b] = false;
        migrants[hosts[mine]].push_back({children_[child].clusters[b], processes_[child], b});
      }
    }
  }
  return migrants;
}

std::vector<Target> HostStep::assign_to_processes(const Strategy& outer, const Instance& costs, std::size_t processes,
                                                  std::span<const MigrantCluster> migrants) const {
  std::vector<Summary> children = children_;
  std::vector<std::vector<Target>> origins(children.size());  // of each child's clusters
  const auto add = [&](std::size_t child, const RankCluster& cluster, std::uint32_t process, std::uint32_t index) {
    children[child].clusters.push_back(cluster);
    origins[child].push_back({process, index, processes_[child]});
  };
  std::vector<double> seconds;  // of each child, with what it has so far
  for (std::size_t child = 0; child < children.size(); ++child) {
    children[child].clusters.clear();
    double work = children[child].fixed_work;
    for (std::uint32_t b = 0; b < children_[child].clusters.size(); ++b) {
      if (stays_[child][b]) {
        add(child, children_[child].clusters[b], processes_[child], b);
        work += children_[child].clusters[b].work;
      }
    }
    seconds.push_back(work / children[child].speed);
  }
  for (const MigrantCluster& migrant : migrants) {
    const auto child = static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
    seconds[child] += migrant.cluster.work / children[child].speed;
    add(child, migrant.cluster, migrant.process, migrant.index);
  }
  std::vector<Target> targets;
  if (children.size() == 1) {
    targets = std::move(origins.front());
    return targets;
  }
  std::vector<std::uint32_t> child_of(processes, ~0U);
  for (std::uint32_t child = 0; child < processes_.size(); ++child) {
    child_of[processes_[child]] = child;
  }
  const Assignment assignment = assign(outer, children, costs, child_of);
  for (std::size_t child = 0; child < children.size(); ++child) {
    for (std::size_t i = 0; i < origins[child].size(); ++i) {
      Target& target = targets.emplace_back(origins[child][i]);
      target.to = processes_[assignment[child][i]];
    }
  }
  return targets;
}

std::map<std::uint32_t, std::vector<Migrant>> extract_migrants(Instance& process, std::uint32_t self,
                                                               std::span<const RankCluster> clusters,
                                                               std::span<const std::uint32_t> to) {
  std::map<std::uint32_t, std::vector<Migrant>> migrants;
  std::vector<bool> leaves(process.ranks.size());
  for (std::size_t b = 0; b < clusters.size(); ++b) {
    for (std::uint32_t i = clusters[b].first; i < clusters[b].end && to[b] != self; ++i) {
      const RankLoad& rank = process.ranks[i];
      if (rank.may_move) {
        migrants[to[b]].push_back({rank, work_of(process, rank)});
        leaves[i] = true;
      }
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]) {
      process.ranks[kept++] = process.ranks[i];
    }
  }
  process.ranks.resize(kept);
  return migrants;
}

void insert_migrants(Instance& process, std::span<const Migrant> arrivals) {
  const std::vector<double> seconds = worker_seconds(process, homes_of(process));
  using Worker = std::pair<double, std::uint32_t>;  // seconds, number
  std::priority_queue<Worker, std::vector<Worker>, std::greater<>> lightest;
  for (std::uint32_t worker = 0; worker < seconds.size(); ++worker) {
    lightest.emplace(seconds[worker], worker);
  }
  for (const Migrant& arrival : arrivals) {
    const auto [before, worker] = lightest.top();
    RankLoad& rank = process.ranks.emplace_back(arrival.rank);
    rank.home = WorkerId{worker};
    rank.seconds = arrival.work / process.workers[worker].speed;
    lightest.pop();
    lightest.emplace(before + rank.seconds, worker);
  }
}

}  // namespace weft::lb

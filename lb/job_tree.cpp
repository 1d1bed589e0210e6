#include "lb/job_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "lb/loads.hpp"

namespace weft::lb {
namespace {

// Sets the values to 0, 1, … in the order of the keys.
std::map<std::uint32_t, std::uint32_t> numbered(std::map<std::uint32_t, std::uint32_t> keys) {
  std::uint32_t next = 0;
  for (auto& [key, value] : keys) {
    value = next++;
  }
  return keys;
}

}  // namespace

JobTree::JobTree(const Instance& instance) : instance_(instance) {
  std::map<std::uint32_t, std::uint32_t> process_of;
  std::map<std::uint32_t, std::uint32_t> host_of;
  for (const WorkerLoad& worker : instance.workers) {
    process_of[worker.place.process] = 0;
    host_of[worker.place.host] = 0;
  }
  process_of = numbered(std::move(process_of));
  host_of = numbered(std::move(host_of));
  processes_.resize(process_of.size());
  hosts_.resize(host_of.size());
  std::vector<std::pair<std::uint32_t, std::uint32_t>> local(instance.workers.size());  // process, worker
  for (std::uint32_t worker = 0; worker < instance.workers.size(); ++worker) {
    const WorkerLoad& load = instance.workers[worker];
    const std::uint32_t index = process_of[load.place.process];
    Process& process = processes_[index];
    if (process.workers.empty()) {
      process.host = host_of[load.place.host];
      process.load.place = load.place;
      process.load.instance.links = instance.links;
      process.load.instance.seconds_per_move = instance.seconds_per_move;
      process.load.instance.seconds_per_moved_byte = instance.seconds_per_moved_byte;
      hosts_[process.host].push_back(index);
    }
    local[worker] = {index, static_cast<std::uint32_t>(process.workers.size())};
    process.workers.push_back(worker);
    process.load.instance.workers.push_back(load);
  }
  for (std::uint32_t i = 0; i < instance.ranks.size(); ++i) {
    RankLoad rank = instance.ranks[i];
    const auto [index, home] = local[number(rank.home)];
    rank.home = WorkerId{home};
    rank.rank = RankId{i};
    processes_[index].load.instance.ranks.push_back(rank);
  }
  add_edges();
}

void JobTree::add_edges() {
  if (instance_.edges.empty()) {
    return;
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> spot(instance_.ranks.size());  // process, local rank
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    Process& process = processes_[p];
    process.load.instance.edges.clear();
    const std::vector<RankLoad>& ranks = process.load.instance.ranks;
    process.load.outward.assign(ranks.size(), {});
    for (std::uint32_t i = 0; i < ranks.size(); ++i) {
      spot[number(ranks[i].rank)] = {p, i};
    }
  }
  for (const Edge& edge : instance_.edges) {
    const auto [from_process, from] = spot[edge.from];
    const auto [to_process, to] = spot[edge.to];
    if (from_process == to_process) {
      processes_[from_process].load.instance.edges.push_back({from, to, edge.messages, edge.bytes});
    }
    processes_[from_process].load.outward[from].push_back({to_process, edge.messages, edge.bytes});
    processes_[to_process].load.outward[to].push_back({from_process, edge.messages, edge.bytes});
  }
}

JobTree::Targets JobTree::decide(const Strategy& outer, std::span<const Summary> summaries) const {
  std::vector<HostStep> hosts;
  std::vector<Summary> sums;
  std::vector<std::uint32_t> host_of(processes_.size());
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    std::vector<Summary> children;
    for (const std::uint32_t p : hosts_[h]) {
      children.push_back(summaries[p]);
      host_of[p] = h;
    }
    sums.push_back(hosts.emplace_back(hosts_[h], std::move(children)).summary());
  }
  std::vector<std::vector<MigrantCluster>> migrants(hosts_.size());
  if (hosts_.size() > 1) {
    const Assignment assignment = assign(outer, sums, instance_, host_of);
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      for (auto& [there, leaving] : hosts[h].extract_departing(h, assignment[h])) {
        migrants[there].insert(migrants[there].end(), leaving.begin(), leaving.end());
      }
    }
  }
  Targets targets;
  for (const Summary& summary : summaries) {
    targets.emplace_back(summary.clusters.size());
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    for (const Target& target : hosts[h].assign_to_processes(outer, instance_, processes_.size(), migrants[h])) {
      targets[target.process][target.index] = target.to;
    }
  }
  return targets;
}

void JobTree::exchange(const Strategy& outer) {
  std::vector<Summary> summaries;
  summaries.reserve(processes_.size());
  for (const Process& process : processes_) {
    summaries.push_back(summarize(process.load, kClusters));
  }
  const Targets targets = decide(outer, summaries);
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    send(p, targets, summaries[p]);
  }
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    receive(p);
  }
  add_edges();
}

void JobTree::send(std::size_t process, const Targets& targets, const Summary& summary) {
  const auto self = static_cast<std::uint32_t>(process);
  for (auto& [there, migrants] :
       extract_migrants(processes_[process].load.instance, self, summary.clusters, targets[process])) {
    std::vector<Migrant>& arrivals = processes_[there].arrivals;
    arrivals.insert(arrivals.end(), migrants.begin(), migrants.end());
  }
}

void JobTree::receive(std::size_t process) {
  Process& mine = processes_[process];
  insert_migrants(mine.load.instance, mine.arrivals);
  mine.arrivals = {};
}

void JobTree::balance_process(std::size_t process, const Strategy& inner, Plan& plan) const {
  const Process& mine = processes_[process];
  const Plan local = inner.solve(mine.load.instance);
  for (std::size_t i = 0; i < local.size(); ++i) {
    plan[number(mine.load.instance.ranks[i].rank)] = WorkerId{mine.workers[number(local[i])]};
  }
}

}  // namespace weft::lb

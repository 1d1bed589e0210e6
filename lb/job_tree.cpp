#include "lb/job_tree.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "lb/loads.hpp"

namespace weft::lb {
namespace {

// Numbers from 0 in the order of the keys.
std::map<std::uint32_t, std::uint32_t> numbered(std::map<std::uint32_t, std::uint32_t> keys) {
  std::uint32_t next = 0;
  for (auto& [key, value] : keys) {
    value = next++;
  }
  return keys;
}

// A bundle of a process, by its place in the summaries.
struct Origin {
  std::uint32_t process;
  std::uint32_t bundle;
};

// What one host decides over: its processes' bundles, and where each came from.
struct HostView {
  std::vector<Summary> children;
  std::vector<std::vector<Origin>> origins;

  void add(std::size_t child, const Bundle& bundle, Origin origin) {
    children[child].bundles.push_back(bundle);
    origins[child].push_back(origin);
  }
};

double filled(const Summary& child) {
  double work = child.fixed_work;
  for (const Bundle& bundle : child.bundles) {
    work += bundle.work;
  }
  return work;
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
    processes_[index].ranks.push_back(i);
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
    process.load.outward.assign(process.ranks.size(), {});
    for (std::uint32_t i = 0; i < process.ranks.size(); ++i) {
      spot[process.ranks[i]] = {p, i};
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
  Targets targets;  // hosts, then processes
  for (std::uint32_t p = 0; p < processes_.size(); ++p) {
    targets.emplace_back(summaries[p].bundles.size(), processes_[p].host);
  }
  decide_hosts(outer, summaries, targets);
  decide_processes(outer, summaries, targets);
  return targets;
}

void JobTree::exchange(const Strategy& outer) {
  std::vector<Summary> summaries;
  summaries.reserve(processes_.size());
  for (const Process& process : processes_) {
    summaries.push_back(summarize(process.load, kBundles));
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

// The job's step.
void JobTree::decide_hosts(const Strategy& outer, std::span<const Summary> summaries, Targets& targets) const {
  if (hosts_.size() == 1) {
    return;
  }
  std::vector<Summary> hosts;
  std::vector<std::uint32_t> host_of(processes_.size());
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    std::vector<Summary> children;
    for (const std::uint32_t p : hosts_[h]) {
      children.push_back(summaries[p]);
      host_of[p] = h;
    }
    hosts.push_back(summarize(children, kBundles));
  }
  const Assignment assignment = assign(outer, hosts, instance_, host_of);
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    std::vector<Origin> members;  // by number through all of the host's bundles
    for (const std::uint32_t p : hosts_[h]) {
      for (std::uint32_t b = 0; b < targets[p].size(); ++b) {
        members.push_back({p, b});
      }
    }
    for (std::size_t k = 0; k < hosts[h].bundles.size(); ++k) {
      for (std::uint32_t i = hosts[h].bundles[k].first; i < hosts[h].bundles[k].end; ++i) {
        targets[members[i].process][members[i].bundle] = assignment[h][k];
      }
    }
  }
}

// Each host's step: bundles that come from others start at the emptiest process.
void JobTree::decide_processes(const Strategy& outer, std::span<const Summary> summaries, Targets& targets) const {
  std::vector<HostView> views(hosts_.size());
  std::vector<std::vector<Origin>> arrivals(hosts_.size());
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    for (std::size_t child = 0; child < hosts_[h].size(); ++child) {
      const std::uint32_t p = hosts_[h][child];
      Summary& summary = views[h].children.emplace_back(summaries[p]);
      summary.bundles.clear();
      views[h].origins.emplace_back();
      for (std::uint32_t b = 0; b < targets[p].size(); ++b) {
        if (targets[p][b] == h) {
          views[h].add(child, summaries[p].bundles[b], {p, b});
        } else {
          arrivals[targets[p][b]].push_back({p, b});
        }
      }
    }
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    HostView& view = views[h];
    std::vector<double> seconds;
    seconds.reserve(view.children.size());
    for (const Summary& child : view.children) {
      seconds.push_back(filled(child) / child.speed);
    }
    for (const Origin origin : arrivals[h]) {
      const auto child = static_cast<std::size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin());
      const Bundle& bundle = summaries[origin.process].bundles[origin.bundle];
      seconds[child] += bundle.work / view.children[child].speed;
      view.add(child, bundle, origin);
    }
    std::vector<std::uint32_t> child_of(processes_.size(), ~0U);
    for (std::uint32_t child = 0; child < hosts_[h].size(); ++child) {
      child_of[hosts_[h][child]] = child;
    }
    Assignment assignment;
    if (hosts_[h].size() > 1) {
      assignment = assign(outer, view.children, instance_, child_of);
    }
    for (std::uint32_t child = 0; child < hosts_[h].size(); ++child) {
      for (std::size_t i = 0; i < view.origins[child].size(); ++i) {
        const Origin origin = view.origins[child][i];
        targets[origin.process][origin.bundle] = hosts_[h][assignment.empty() ? child : assignment[child][i]];
      }
    }
  }
}

void JobTree::send(std::size_t process, const Targets& targets, const Summary& summary) {
  Process& mine = processes_[process];
  auto& ranks = mine.load.instance.ranks;
  std::vector<bool> leaves(ranks.size());
  for (std::size_t b = 0; b < summary.bundles.size(); ++b) {
    const std::uint32_t target = targets[process][b];
    if (target == process) {
      continue;
    }
    Arrivals& there = processes_[target].arrivals;
    for (std::uint32_t i = summary.bundles[b].first; i < summary.bundles[b].end; ++i) {
      if (!ranks[i].may_move) {
        continue;
      }
      there.ranks.push_back(ranks[i]);
      there.work.push_back(work_of(mine.load.instance, ranks[i]));
      there.index.push_back(mine.ranks[i]);
      leaves[i] = true;
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (!leaves[i]) {
      mine.ranks[kept] = mine.ranks[i];
      ranks[kept++] = ranks[i];
    }
  }
  mine.ranks.resize(kept);
  ranks.resize(kept);
}

void JobTree::receive(std::size_t process) {
  Process& mine = processes_[process];
  take_in(mine.load.instance, mine.arrivals.ranks, mine.arrivals.work);
  mine.ranks.insert(mine.ranks.end(), mine.arrivals.index.begin(), mine.arrivals.index.end());
  mine.arrivals = {};
}

void JobTree::settle(std::size_t process, const Strategy& inner, Plan& plan) const {
  const Process& mine = processes_[process];
  const Plan local = inner.solve(mine.load.instance);
  for (std::size_t i = 0; i < local.size(); ++i) {
    plan[mine.ranks[i]] = WorkerId{mine.workers[number(local[i])]};
  }
}

}  // namespace weft::lb

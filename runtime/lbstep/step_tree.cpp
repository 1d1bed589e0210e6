#include "runtime/lbstep/step_tree.hpp"

#include <algorithm>
#include <utility>

#include "runtime/job/job.hpp"
#include "runtime/job/job_state.hpp"
#include "runtime/lbstep/balancer.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint32_t kRoot = 0;

}  // namespace

StepTree::StepTree(Cluster& cluster, ControlChannel& control, const lb::Hierarchical& strategy,
                   const Balancer& balancer, ControlHandler& step_part, Calls calls)
    : cluster_(cluster),
      control_(control),
      strategy_(strategy),
      balancer_(balancer),
      step_part_(step_part),
      calls_(std::move(calls)),
      wants_edges_(strategy.wants_edges()),
      process_(cluster, strategy.inner(), cluster.job().config().lb_model, !cluster.job().config().lb_report.empty()) {
  for (std::uint32_t p = 0; p < cluster.count(); ++p) {
    host_of_.push_back(cluster.job().config().host_of(p));
    hosts_.resize(std::max<std::size_t>(hosts_.size(), host_of_.back() + 1));
    hosts_[host_of_.back()].push_back(p);
  }
  for (const auto& processes : hosts_) {
    leader_.push_back(processes.front());
  }
  host_ = host_of_[self()];
}

template <typename Message>
void StepTree::send(std::uint32_t to, Message message) {
  if constexpr (requires { message.step; }) {
    message.step = step_;
  }
  if (to != self()) {
    pup::Sizer sizer;
    sizer | message;
    bytes_told_ += sizer.size();
  }
  control_.send_control(ProcessId{to}, std::move(message));
}

void StepTree::begin(std::uint64_t step, const StepArrival& arrival) {
  step_ = step;
  begin_here(arrival);
  go_on();
}

void StepTree::begin_here(const StepArrival& arrival) {
  now_.begun = true;
  process_.begin(arrival);
  // Who has no ranks does not know of the step yet.
  std::set<std::uint32_t> asleep;
  if (self() == kRoot) {
    asleep.insert(leader_.begin(), leader_.end());
  }
  if (leads()) {
    asleep.insert(hosts_[host_].begin(), hosts_[host_].end());
  }
  for (std::uint32_t r = 0; r < cluster_.job().rank_count() && asleep.size() > 1; ++r) {
    asleep.erase(number(cluster_.job().rank(r).process));
  }
  asleep.erase(self());
  for (const std::uint32_t process : asleep) {
    send(process, TreeBegun{});
  }
  if (wants_edges_) {
    auto sent = process_.sent();
    for (std::uint32_t p = 0; p < cluster_.count(); ++p) {
      send(p, TreeReceived{.reports = std::move(sent[p])});
    }
  }
}

void StepTree::on(std::uint32_t /*from*/, TreeBegun& /*message*/) {}

void StepTree::on(std::uint32_t from, TreeReceived& message) { now_.received[from] = std::move(message.reports); }

void StepTree::on(std::uint32_t from, TreeSummary& message) { now_.summaries[from] = std::move(message.summary); }

void StepTree::on(std::uint32_t from, TreeHostSummary& message) {
  now_.hosts[host_of_[from]] = std::move(message.summary);
}

void StepTree::on(std::uint32_t /*from*/, TreeHostTargets& message) { now_.host_targets = std::move(message.targets); }

void StepTree::on(std::uint32_t from, TreeMigrantsOfHost& message) {
  now_.migrants[host_of_[from]] = std::move(message.clusters);
}

void StepTree::on(std::uint32_t /*from*/, TreePlacements& message) {
  ++now_.answers;
  for (const lb::Target& target : message.placements) {
    now_.placements[target.process].push_back(target);
  }
}

void StepTree::on(std::uint32_t /*from*/, TreeTargets& message) { now_.targets = std::move(message.targets); }

void StepTree::on(std::uint32_t from, TreeMigrants& message) { now_.arrivals[from] = std::move(message.ranks); }

void StepTree::on(std::uint32_t /*from*/, TreeFound& message) {
  if (!now_.found) {
    now_.found.emplace();
  }
  now_.found->add(message.found);
}

// A process without ranks hears of the step by the first message of it.
void StepTree::continue_step() {
  if (!now_.begun && cluster_.job().state_->live_ranks.load() == 0) {
    begin_here(calls_.empty());
  }
  go_on();
}

// Strategies that look at edges take long, and may want more stack than a rank has.
void StepTree::go_on() {
  if (!wants_edges_) {
    advance();
    return;
  }
  cluster_.job().state_->post([this] {
    const ControlHandler::Guard guard(step_part_);
    advance();
  });
}

void StepTree::advance() {
  while (summarize() || sum_host() || assign_hosts() || leave_host() || place() || tell_targets() || leave() ||
         settle() || report()) {
  }
}

bool StepTree::summarize() {
  if (!now_.begun || now_.summarized || (wants_edges_ && now_.received.size() < cluster_.count())) {
    return false;
  }
  // All ranks of the job stand.
  if (wants_edges_ && !balancer_.links_known()) {
    if (self() == kRoot && !std::exchange(now_.measuring, true)) {
      calls_.measure();
    }
    return false;
  }
  now_.summarized = true;
  for (const auto& [from, reports] : now_.received) {
    if (from != self()) {
      process_.received(from, reports);
    }
  }
  send(leader_[host_], TreeSummary{.summary = process_.summarize(balancer_.links())});
  return true;
}

bool StepTree::sum_host() {
  if (!leads() || now_.host || now_.summaries.size() < hosts_[host_].size()) {
    return false;
  }
  std::vector<lb::Summary> summaries;
  for (auto& [process, summary] : now_.summaries) {
    summaries.push_back(std::move(summary));
  }
  now_.host.emplace(hosts_[host_], std::move(summaries));
  send(kRoot, TreeHostSummary{.summary = now_.host->summary()});
  return true;
}

bool StepTree::assign_hosts() {
  if (self() != kRoot || now_.assigned || now_.hosts.size() < hosts_.size()) {
    return false;
  }
  now_.assigned = true;
  std::vector<HostTargets> targets(hosts_.size());
  lb::Instance costs = balancer_.costs();
  if (hosts_.size() > 1) {
    std::vector<lb::Summary> summaries;
    for (auto& [host, summary] : now_.hosts) {
      summaries.push_back(std::move(summary));
    }
    const lb::Assignment assignment = lb::assign(strategy_.outer(), summaries, costs, host_of_);
    for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
      targets[h].to = assignment[h];
      std::set<std::uint32_t> there(assignment[h].begin(), assignment[h].end());
      there.erase(h);
      for (const std::uint32_t host : there) {
        ++targets[host].senders;
      }
    }
  }
  for (std::uint32_t h = 0; h < hosts_.size(); ++h) {
    targets[h].per_move = costs.seconds_per_move;
    targets[h].per_byte = costs.seconds_per_moved_byte;
    send(leader_[h], TreeHostTargets{.targets = std::move(targets[h])});
  }
  return true;
}

bool StepTree::leave_host() {
  if (!now_.host_targets || now_.left_host) {
    return false;
  }
  now_.left_host = true;
  for (auto& [there, clusters] : now_.host->leave(host_, now_.host_targets->to)) {
    ++now_.visited;
    send(leader_[there], TreeMigrantsOfHost{.clusters = std::move(clusters)});
  }
  return true;
}

bool StepTree::place() {
  if (!now_.left_host || now_.placed || now_.migrants.size() < now_.host_targets->senders) {
    return false;
  }
  now_.placed = true;
  std::vector<lb::MigrantCluster> migrants;
  for (const auto& [from, theirs] : now_.migrants) {
    migrants.insert(migrants.end(), theirs.begin(), theirs.end());
  }
  lb::Instance costs;
  costs.links = balancer_.links();
  costs.seconds_per_move = now_.host_targets->per_move;
  costs.seconds_per_moved_byte = now_.host_targets->per_byte;
  std::map<std::uint32_t, std::vector<lb::Target>> answers;  // by host
  for (const lb::Target& target : now_.host->place(strategy_.outer(), costs, cluster_.count(), migrants)) {
    if (target.to != target.process) {
      now_.senders[target.to].insert(target.process);
    }
    if (host_of_[target.process] == host_) {
      now_.placements[target.process].push_back(target);
    } else {
      answers[host_of_[target.process]].push_back(target);
    }
  }
  for (auto& [host, targets] : answers) {
    send(leader_[host], TreePlacements{.placements = std::move(targets)});
  }
  return true;
}

bool StepTree::tell_targets() {
  if (!now_.placed || now_.told_targets || now_.answers < now_.visited) {
    return false;
  }
  now_.told_targets = true;
  for (const std::uint32_t process : hosts_[host_]) {
    ProcessTargets targets{.to = {}, .senders = static_cast<std::uint32_t>(now_.senders[process].size())};
    const std::vector<lb::Target>& placements = now_.placements[process];
    targets.to.resize(placements.size());
    for (const lb::Target& target : placements) {
      targets.to[target.index] = target.to;
    }
    send(process, TreeTargets{.targets = std::move(targets)});
  }
  return true;
}

bool StepTree::leave() {
  if (!now_.targets || now_.left) {
    return false;
  }
  now_.left = true;
  for (auto& [there, ranks] : process_.leave(now_.targets->to)) {
    send(there, TreeMigrants{.ranks = std::move(ranks)});
  }
  return true;
}

bool StepTree::settle() {
  if (!now_.left || now_.settled || now_.arrivals.size() < now_.targets->senders) {
    return false;
  }
  now_.settled = true;
  send(leader_[host_], TreeFound{.found = process_.settle(now_.arrivals)});
  return true;
}

bool StepTree::report() {
  const std::size_t all = self() == kRoot ? cluster_.count() : hosts_[host_].size();
  if (!leads() || now_.told_found || !now_.found || now_.found->processes < all) {
    return false;
  }
  now_.told_found = true;
  Found found = std::move(*now_.found);
  if (self() != kRoot) {
    send(kRoot, TreeFound{.found = std::move(found)});
    return true;
  }
  calls_.decide(found);  // and the step ends here
  return false;
}

void StepTree::ended(Choice choice, std::uint64_t call, std::span<const NewHome> told, std::uint64_t next_step) {
  if (now_.begun) {
    for (auto& [there, ranks] : process_.ended(choice, call, told)) {
      send(there, TreeMemory{.ranks = std::move(ranks)});
    }
  }
  now_ = State{};
  for (const Later& later : std::exchange(later_, {})) {
    Messages::dispatch(later.kind, later.body, [&](auto message) { on_message(later.from, next_step, message); });
  }
}

}  // namespace weft::runtime

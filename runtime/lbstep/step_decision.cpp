#include "runtime/lbstep/step_decision.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/timeline/timeline.hpp"

namespace weft::runtime {

void StepDecision::begin() {
  instance_.ranks.assign(job_.ranks.at_start(), {});
  instance_.workers.assign(job_.cluster.worker_count(), {});
  instance_.edges.clear();
  supersteps_.clear();
  intervals_.assign(job_.cluster.worker_count(), {});
  wanted_.assign(job_.ranks.at_start(), Rank::kAnyWorker);
  pinned_.clear();
  in_parts_ = false;
}

void StepDecision::add(const StepArrival& arrival) {
  add_workers(arrival);
  for (const RankReport& report : arrival.ranks) {
    // What the rank needs where it is, at that worker's speed.
    instance_.ranks[report.rank] = {.rank = RankId{report.rank},
                                    .home = WorkerId{report.worker},
                                    .seconds = report.seconds / instance_.workers[report.worker].speed,
                                    .bytes = report.bytes,
                                    .may_move = report.may_leave};
    wanted_[report.rank] = report.wanted;
    add_supersteps(report);
  }
  for (const EdgeReport& edge : arrival.edges) {
    instance_.edges.push_back({.from = edge.from, .to = edge.to, .messages = edge.messages, .bytes = edge.bytes});
  }
  call_ = arrival.call;
  wants_balance_ = arrival.balance;
  wanted_checkpoint_ = arrival.checkpoint;
  pinned_ = pinned_.empty() ? arrival.pinned : pinned_;
}

void StepDecision::add_workers(const StepArrival& arrival) {
  std::uint32_t worker = job_.cluster.first_worker(ProcessId{arrival.process});
  for (const WorkerReport& report : arrival.workers) {
    intervals_[worker] = report.interval;
    instance_.workers[worker++] = {
        .speed = report.interval.speed,
        .background_seconds = report.interval.contended,
        .place = {.numa = arrival.host << 16U | report.numa, .process = arrival.process, .host = arrival.host}};
  }
}

void StepDecision::add_supersteps(const RankReport& report) {
  supersteps_.resize(std::max(supersteps_.size(), report.supersteps.size()));
  for (std::size_t t = 0; t < report.supersteps.size(); ++t) {
    lb::Superstep& superstep = supersteps_[t];
    superstep.seconds.resize(instance_.ranks.size());
    superstep.seconds[report.rank] = report.supersteps[t].seconds / instance_.workers[report.worker].speed;
    for (const EdgeReport& edge : report.supersteps[t].sent) {
      superstep.edges.push_back({.from = edge.from, .to = edge.to, .messages = edge.messages, .bytes = edge.bytes});
    }
  }
}

void StepDecision::add_found(Found& found) {
  found_ = std::move(found);
  in_parts_ = true;
  call_ = found_.call;
  wants_balance_ = true;
  wanted_checkpoint_ = found_.checkpoint;
  pinned_ = found_.pinned;
}

StepPlan StepDecision::decide(const std::string& checkpoint) {
  began_ = ticks();
  StepPlan plan;
  plan.checkpoint = checkpoint;
  balanced_ = wants_balance_ && checkpoint.empty();
  if (balanced_ && in_parts_) {
    plan.choice = balancer_.choose(call_, found_);
    balancer_.moves(found_, plan.choice);
    const Outcome& outcome = found_.outcomes[static_cast<std::size_t>(plan.choice)];
    plan.changes = outcome.told;
    plan.moves = outcome.moves > 0;
  } else if (balanced_) {
    plan.changes = balance();
    plan.moves = !plan.changes.empty();
  }
  plan.balanced = balanced_;
  plan.call = call_;
  plan.next_balance = balancer_.next_call();
  if (!plan.moves && checkpoint.empty()) {
    moves_over();
  }
  return plan;
}

std::vector<NewHome> StepDecision::balance() {
  // As they came they would depend on who came first, and so might the plan.
  std::sort(instance_.edges.begin(), instance_.edges.end(),
            [](const auto& a, const auto& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  lb::Plan homes = balancer_.plan(call_, instance_, intervals_, supersteps_);
  std::vector<NewHome> changes;
  for (const lb::RankLoad& rank : instance_.ranks) {
    const std::uint32_t home = number(rank.home);
    const std::uint32_t wanted = wanted_[number(rank.rank)];
    const std::uint32_t target = wanted != Rank::kAnyWorker ? wanted : number(homes[number(rank.rank)]);
    const bool packed = job_.cluster.process_of(home) != job_.cluster.process_of(target) || job_.config.repack;
    if (target != home && (!packed || rank.may_move)) {
      changes.push_back({number(rank.rank), target});
      homes[number(rank.rank)] = WorkerId{target};
    } else {
      homes[number(rank.rank)] = rank.home;
    }
  }
  balancer_.moves(homes);
  return changes;
}

void StepDecision::moves_over() {
  if (!std::exchange(balanced_, false)) {
    return;
  }
  balancer_.paid(static_cast<double>(ticks() - began_) / ticks_per_second());
  if (job_.timeline != nullptr) {
    const Balancer::Brief& step = balancer_.last_step();
    job_.timeline->step(fmt::format("step {}: {} of {} ranks move", step.number, step.moves, job_.ranks.at_start()),
                        began_, static_cast<std::int64_t>(100 * step.imbalance));
  }
}

}  // namespace weft::runtime

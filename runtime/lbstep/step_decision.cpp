#include "runtime/lbstep/step_decision.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/timeline/timeline.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

static_assert(lb::kAnyWorker == Rank::kAnyWorker);

lb::Edge edge_of(const EdgeReport& edge) {
  return {.from = edge.from, .to = edge.to, .messages = edge.messages, .bytes = edge.bytes};
}

}  // namespace

void StepDecision::begin() {
  observation_ = lb::Observation(job_.ranks.at_start(), job_.cluster.worker_count());
  facts_.pinned.clear();
  facts_.private_bytes = 0;
  facts_.evacuating.clear();
  is_hierarchical_ = false;
}

void StepDecision::add(const StepArrival& arrival) {
  add_workers(arrival);
  for (const RankReport& report : arrival.ranks) {
    add_rank(report);
  }
  for (const EdgeReport& edge : arrival.edges) {
    observation_.measured.edges.push_back(edge_of(edge));
  }
  facts_.call = arrival.call;
  facts_.balances = arrival.balance;
  facts_.checkpoint = arrival.checkpoint;
  facts_.image = arrival.image;
  facts_.pinned = facts_.pinned.empty() ? arrival.pinned : facts_.pinned;
  facts_.private_bytes += arrival.private_bytes;
  if (arrival.evacuates) {
    facts_.evacuating.push_back(arrival.process);
  }
}

void StepDecision::add_workers(const StepArrival& arrival) {
  std::uint32_t worker = job_.cluster.first_worker(ProcessId{arrival.process});
  for (const WorkerReport& report : arrival.workers) {
    observation_.add_worker(
        WorkerId{worker++}, report.interval,
        {.numa = arrival.host << 16U | report.numa, .process = arrival.process, .host = arrival.host});
  }
}

void StepDecision::add_rank(const RankReport& report) {
  observation_.add_rank({.rank = RankId{report.rank},
                         .home = WorkerId{report.worker},
                         .work = report.seconds,
                         .bytes = report.bytes,
                         .may_leave = report.may_leave,
                         .is_declared = report.is_declared,
                         .wanted = report.wanted});
  for (std::size_t t = 0; t < report.supersteps.size(); ++t) {
    lb::RankSuperstep superstep{.work = report.supersteps[t].seconds, .sent = {}};
    std::ranges::transform(report.supersteps[t].sent, std::back_inserter(superstep.sent), edge_of);
    observation_.add_superstep(t, RankId{report.rank}, superstep);
  }
}

void StepDecision::add_sums(StepSums& sums) {
  sums_ = std::move(sums);
  is_hierarchical_ = true;
  facts_ = {.call = sums_.call,
            .checkpoint = sums_.checkpoint,
            .image = sums_.image,
            .pinned = sums_.pinned,
            .balances = true,
            .private_bytes = sums_.private_bytes,
            .evacuating = sums_.evacuating};
}

StepPlan StepDecision::decide(const std::string& checkpoint, bool may_move) {
  began_ = ticks();
  StepPlan plan;
  plan.checkpoint = checkpoint;
  balanced_ = facts_.balances && checkpoint.empty();
  if (balanced_ && is_hierarchical_) {
    plan.scope = balancer_.choose(sums_, may_move);
    const PlanOutcome& outcome = sums_.outcomes[static_cast<std::size_t>(plan.scope)];
    plan.changes = may_move ? outcome.announced_moves : plan.changes;
    plan.moves = may_move && outcome.moves > 0;
  } else if (balanced_) {
    plan.changes = balance(may_move);
    plan.moves = !plan.changes.empty();
  }
  if (balanced_ && job_.cluster.process_count() > 1 && !facts_.pinned.empty()) {
    balancer_.note_pinned(facts_.pinned);
  }
  plan.balanced = balanced_;
  plan.call = facts_.call;
  plan.next_balance = balancer_.decider().next_call();
  if (!plan.moves && checkpoint.empty()) {
    moves_over();
  }
  return plan;
}

std::vector<NewHome> StepDecision::balance(bool may_move) {
  observation_.call = facts_.call;
  const lb::Decision decision = balancer_.decide(std::move(observation_), may_move);
  std::vector<NewHome> changes;
  for (const RankId rank : decision.moving) {
    changes.push_back({number(rank), number(decision.homes[number(rank)])});
  }
  return changes;
}

void StepDecision::moves_over() {
  if (!std::exchange(balanced_, false)) {
    return;
  }
  balancer_.record_cost(static_cast<double>(ticks() - began_) / ticks_per_second());
  if (job_.timeline != nullptr) {
    job_.timeline->record_step(
        fmt::format("step {}: {} of {} ranks move", balancer_.steps(), balancer_.last_moves(), job_.ranks.at_start()),
        began_, static_cast<std::int64_t>(100 * balancer_.last_imbalance()));
  }
}

}  // namespace lbstep
}  // namespace weft::runtime

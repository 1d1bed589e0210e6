#include "lb/decider.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "lb/migbsp.hpp"
#include "lb/migbsp_history.hpp"

namespace weft::lb {

Decider::Decider(const DeciderOptions& options)
    : packs_every_move_(options.packs_every_move),
      strategy_(make_strategy(options.strategy)),
      when_(make_when(options.when)),
      model_(make_load_model(options.model)),
      links_(options.links),
      loads_(model_->depth()),
      margins_(margins_of(options.strategy)),
      move_cost_(options.move_prices) {}

Instance Decider::costs() const {
  Instance costs;
  costs.links = links_;
  costs.seconds_per_move = move_cost_.per_move();
  costs.seconds_per_moved_byte = move_cost_.per_byte();
  return costs;
}

void Decider::observe(Observation observation) {
  Instance& measured = observation.measured;
  // The order of edges depends on the order in which processes reported them; the plan must not.
  std::sort(measured.edges.begin(), measured.edges.end(),
            [](const Edge& a, const Edge& b) { return std::tie(a.from, a.to) < std::tie(b.from, b.to); });
  const std::uint64_t calls = observation.call - std::min(observation.call, last_call_);
  when_->observe(observation.call, measured, superstep_seconds(measured, observation.supersteps, calls));
  patterns_ = after_supersteps(std::move(patterns_), measured, observation.supersteps, calls, margins_);
  instance_ = predict(observation.call, std::move(measured), observation.declared);
  instance_.patterns = patterns_;
  instance_.links = links_;
  instance_.seconds_per_move = move_cost_.per_move();
  instance_.seconds_per_moved_byte = move_cost_.per_byte();
  wanted_ = std::move(observation.wanted);
}

// Loads of an interval as long as the last, as the model sees them.
Instance Decider::predict(std::uint64_t call, Instance measured, std::span<const RankId> declared) {
  const double calls = calls_of_interval(last_call_, call);
  last_call_ = call;
  std::vector<double> work = measured_work(measured);
  for (double& seconds : work) {
    seconds /= calls;
  }
  std::vector<double> given = given_work(work, declared);
  loads_.add({.work = std::move(work), .given = std::move(given)});
  return with_work(std::move(measured), predict_interval(*model_, loads_, calls));
}

Decision Decider::decide() {
  Plan homes = strategy_->solve(instance_);
  const Evaluation evaluation = when_->evaluate(effect_of(instance_, homes));
  if (!evaluation.move) {
    homes = homes_of(instance_);
  }
  Decision decision = apply_wanted(std::move(homes));
  decision.predicted_gain = evaluation.move ? evaluation.gain : 0.0;
  moves_ = decision.moves;
  return decision;
}

Decision Decider::keep_homes() {
  moves_ = {};
  Decision decision;
  decision.homes = homes_of(instance_);
  return decision;
}

Decision Decider::apply_wanted(Plan homes) const {
  Decision decision;
  const auto process_of = [this](WorkerId worker) { return instance_.workers[number(worker)].place.process; };
  for (const RankLoad& rank : instance_.ranks) {
    WorkerId& home = homes[number(rank.rank)];
    const std::uint32_t wanted = wanted_[number(rank.rank)];
    home = wanted == kAnyWorker ? home : WorkerId{wanted};
    const bool crosses = process_of(home) != process_of(rank.home);
    if (home == rank.home || !can_move(crosses, packs_every_move_, rank.may_move)) {
      home = rank.home;
      continue;
    }
    decision.moving.push_back(rank.rank);
    decision.crossings += crosses ? 1 : 0;
  }
  decision.moves = moves_of(instance_, homes);
  decision.homes = std::move(homes);
  return decision;
}

void Decider::observe_distributed(std::uint64_t call, const Instance& by_worker) {
  when_->observe(call, by_worker, {});
}

// As Hierarchical::solve() does for all ranks of the job: a plan with exchange between processes is preferred to one
// within them.
Decider::DistributedDecision Decider::choose(std::span<const DistributedPlan, kMoveScopes> plans) {
  const auto plan_of = [plans](MoveScope scope) { return plans[static_cast<std::size_t>(scope)]; };
  const double before = plan_of(MoveScope::stay).longest;
  DistributedDecision decision;
  for (const MoveScope other : {MoveScope::within_processes, MoveScope::anywhere}) {
    decision.scope = plan_of(other).longest < before ? other : decision.scope;
  }
  const DistributedPlan plan = plan_of(decision.scope);
  const Evaluation evaluation = when_->evaluate({.before = before, .after = plan.longest, .moves = plan.planned});
  if (evaluation.move) {
    decision.predicted_gain = evaluation.gain;
  } else {
    decision.scope = MoveScope::stay;
  }
  moves_ = plan_of(decision.scope).carried_out;
  return decision;
}

void Decider::record_cost(double seconds) {
  const StepCost cost{.moves = moves_.ranks, .bytes = moves_.bytes, .seconds = seconds};
  when_->record_cost(cost);
  move_cost_.learn(cost);
}

}  // namespace weft::lb

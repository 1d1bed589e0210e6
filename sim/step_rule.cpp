#include "sim/step_rule.hpp"

#include "lb/loads.hpp"
#include "lb/parse.hpp"

namespace weft::sim {
namespace {

// MigBSP looks at each call between two steps; the simulator keeps the sums.
void refuse_migbsp(const std::string& text) {
  if (lb::split_argument(text).name == "migbsp") {
    throw base::OptionError("migbsp looks at single supersteps, which the simulator does not keep yet");
  }
}

}  // namespace

StepRule::StepRule(const BalancingOptions& options, const lb::Links& links)
    : balances_(options.strategy != "none"),
      strategy_(lb::make_strategy(options.strategy)),
      when_(lb::make_when(options.when)),
      model_(lb::make_load_model(options.model)),
      links_(links),
      loads_(model_->depth()) {
  refuse_migbsp(options.strategy);
  refuse_migbsp(options.when);
}

lb::Plan StepRule::plan(std::uint64_t call, const lb::Instance& measured) {
  when_->observe(call, measured, {});
  lb::Instance instance = predicted(call, measured);
  instance.links = links_;
  instance.seconds_per_move = move_cost_.per_move();
  instance.seconds_per_moved_byte = move_cost_.per_byte();
  lb::Plan homes = strategy_->solve(instance);
  if (!when_->judge(lb::outlook_of(instance, homes)).move) {
    homes = lb::homes_of(instance);
  }
  after_ = lb::longest_seconds(instance, homes);
  return homes;
}

// Loads of an interval as long as the last, as the model sees them.
lb::Instance StepRule::predicted(std::uint64_t call, const lb::Instance& measured) {
  const double calls = static_cast<double>(call > last_call_ ? call - last_call_ : 1);
  last_call_ = call;
  std::vector<double> work = lb::measured_work(measured);
  for (double& seconds : work) {
    seconds /= calls;
  }
  loads_.add({.work = std::move(work)});
  std::vector<double> next = model_->predict(loads_);
  for (double& seconds : next) {
    seconds *= calls;
  }
  return lb::with_work(measured, next);
}

void StepRule::paid(const lb::StepCost& cost) {
  when_->paid(cost);
  move_cost_.learn(cost);
}

}  // namespace weft::sim

// What Weft's process 0 decides in a balancing step, with the very strategies, load models and rules of lb/.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "lb/load_model.hpp"
#include "lb/move_cost.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"
#include "sim/actions.hpp"

namespace weft::sim {

// As the options of weftrun are written.
struct BalancingOptions {
  std::string strategy = "none";
  std::string when = "every:1";
  std::string model = "last";
};

// At each step: plan(), then paid().
class StepRule {
 public:
  // Throws base::OptionError for names that do not exist, and for what is not simulated.
  StepRule(const BalancingOptions& options, const lb::Links& links);

  // Without a strategy no call makes a step.
  [[nodiscard]] bool is_due(std::uint64_t call) const { return balances_ && call >= when_->next_call(); }
  [[nodiscard]] bool wants_edges() const { return strategy_->wants_edges(); }
  // What was measured since the last step; the homes from now on.
  lb::Plan plan(std::uint64_t call, const lb::Instance& measured);
  // Seconds of the longest worker until the next step, as predicted, with the plan.
  [[nodiscard]] Seconds after() const { return after_; }
  void paid(const lb::StepCost& cost);

 private:
  lb::Instance predicted(std::uint64_t call, const lb::Instance& measured);

  bool balances_;
  std::unique_ptr<lb::Strategy> strategy_;
  std::unique_ptr<lb::When> when_;
  std::unique_ptr<lb::LoadModel> model_;
  lb::Links links_;
  lb::LoadHistory loads_;
  lb::MoveCost move_cost_;
  std::uint64_t last_call_ = 0;
  Seconds after_ = 0.0;
};

}  // namespace weft::sim

// How process 0 makes the plan of a step: from the loads of all ranks, or from what the processes have worked out in
// parts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lb/observation.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/balancer.hpp"
#include "runtime/lbstep/step_facts.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

// One step after the other: begin(), add() for each process, or add_found(); decide(); moves_over().
class StepDecision {
 public:
  StepDecision(const JobContext& job, Balancer& balancer) : job_(job), balancer_(balancer) {}

  void begin();
  void add(const StepArrival& arrival);
  void add_found(Found& found);

  bool wants_balance() const { return facts_.balances; }
  // But for the step's number.
  const StepFacts& facts() const { return facts_; }

  // Writes a checkpoint there instead, if that is not empty. While spawned ranks run nobody moves (`may_move` is
  // false): the balancer gets the loads all the same.
  StepPlan decide(const std::string& checkpoint, bool may_move);
  // The ranks go on: what the step has cost is known.
  void moves_over();

 private:
  void add_workers(const StepArrival& arrival);
  void add_rank(const RankReport& report);
  std::vector<NewHome> balance(bool may_move);

  const JobContext& job_;
  Balancer& balancer_;
  lb::Observation observation_;  // of this step, but for the call
  bool in_parts_ = false;        // this step has been worked out in parts:
  Found found_;
  StepFacts facts_{.balances = true};
  bool balanced_ = false;    // the balancer has planned in this step
  std::uint64_t began_ = 0;  // ticks: when this step's decision did
};

}  // namespace lbstep
}  // namespace weft::runtime

// Makes the plan of a step on process 0: from the loads of all ranks, or in a hierarchical step from sums.
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

// Call for each step: begin(); add() for each process, or add_sums(); decide(); moves_over(). Guarded by the step's
// lock.
class StepDecision {
 public:
  StepDecision(const JobContext& job, Balancer& balancer) : job_(job), balancer_(balancer) {}

  void begin();
  void add(const StepArrival& arrival);
  void add_sums(StepSums& sums);

  bool wants_balance() const { return facts_.balances; }
  // Complete except the step's number.
  const StepFacts& facts() const { return facts_; }

  // If `checkpoint` is not empty the step writes a checkpoint there instead of balancing: the balancer does not get the
  // loads of this step. While spawned ranks run no rank moves (`may_move` is false), but the balancer gets the loads.
  StepPlan decide(const std::string& checkpoint, bool may_move);
  // The ranks go on: records what the step has cost.
  void moves_over();

 private:
  void add_workers(const StepArrival& arrival);
  void add_rank(const RankReport& report);
  std::vector<NewHome> balance(bool may_move);

  const JobContext& job_;
  Balancer& balancer_;
  lb::Observation observation_;   // of this step, except the call
  bool is_hierarchical_ = false;  // this step is hierarchical, and decided from sums_ instead
  StepSums sums_;
  StepFacts facts_{.balances = true};
  bool balanced_ = false;    // the balancer has planned in this step
  std::uint64_t began_ = 0;  // ticks: when this step's decision began
};

}  // namespace lbstep
}  // namespace weft::runtime

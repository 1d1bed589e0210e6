// Process 0's part of a balancing step: does what the state machine in coordinator.hpp asks for.
#pragma once

#include <atomic>
#include <functional>

#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/checkpoint_schedule.hpp"
#include "runtime/lbstep/coordinator.hpp"
#include "runtime/lbstep/step_decision.hpp"

namespace weft::runtime {
inline namespace lbstep {

// Guarded by the step's lock, except the requests.
class CoordinatorRole final : private Coordinator::Actions {
 public:
  // `step`: has the lock. `measure`: starts to measure what messages cost.
  CoordinatorRole(const JobContext& job, ControlHandler& step, Balancer& balancer, std::function<void()> measure);

  Coordinator& machine() { return machine_; }
  // Any thread; signal-safe.
  void request_checkpoint() { checkpoints_.request(); }
  void report_no_step() const { checkpoints_.report_no_step(); }
  void request_summary() { summary_requested_.store(true, std::memory_order_relaxed); }

 private:
  void begin_gathering() override { decision_.begin(); }
  void add_arrival(const StepArrival& arrival) override { decision_.add(arrival); }
  Coordinator::Next next() override;
  void measure_links() override { measure_(); }
  void post_decision() override;
  void add_sums(StepSums& sums) override { decision_.add_sums(sums); }
  Coordinator::Outcome make_plan(std::uint64_t step) override;
  void send_plan() override;
  void add_part(const CheckpointPart& part) override { checkpoints_.add(part); }
  void moves_over() override;
  void post_publication() override;
  void send_all_restored() override;
  void send_step_over() override;
  void send_disable() override;
  void ask_to_shrink(const StepFacts& facts);
  void print_summary();

  const JobContext& job_;
  ControlHandler& step_;
  Balancer& balancer_;
  const std::function<void()> measure_;
  Coordinator machine_;
  StepDecision decision_;
  CheckpointSchedule checkpoints_;
  std::atomic<bool> summary_requested_ = false;
  StepPlan plan_;  // to be sent next
  bool restores_;  // the ranks have not gone on from a checkpoint yet
};

}  // namespace lbstep
}  // namespace weft::runtime

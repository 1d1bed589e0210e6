// The balancing step: all ranks stop, process 0 decides, ranks move or are written to a checkpoint, all go on.
#pragma once

#include <cstdint>
#include <memory>

#include "lb/strategy.hpp"
#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/coordinator_role.hpp"
#include "runtime/lbstep/link_probe.hpp"
#include "runtime/lbstep/local_loads.hpp"
#include "runtime/lbstep/participant_role.hpp"
#include "runtime/lbstep/recorded_calls.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/lbstep/step_options.hpp"
#include "runtime/lbstep/step_tree.hpp"

namespace weft::runtime {
inline namespace lbstep {

// What each process does in a step, in this order. The states and messages are in participant.hpp, coordinator.hpp and
// flush.hpp.
//  1. When its last rank arrives, it sends process 0 the loads of its ranks. In a hierarchical step it takes part in
//     the decision instead (step_tree.hpp).
//  2. When process 0 knows all loads, the strategy decides and all processes get the plan. If nothing moves, ranks go
//     on.
//  3. If ranks change their process, no message may be in flight: the processes flush the channels between them.
//  4. The barrier opens. A rank that moves to another worker goes there; one that moves to another process is packed
//     into a migration image.
//  5. When all its new ranks have arrived and all its former ranks have arrived elsewhere, it tells process 0. When all
//     processes have done so, ranks go on.
// A checkpoint is a step in which every rank is packed, written to a file, and goes on where it was. In the job that
// restores it, all ranks come out of such a step.
class BalancingStep final : public ControlHandler {
 public:
  BalancingStep(const JobContext& job, Balancer& balancer);

  // Implements Job::migrate(), for all ranks that the job began with. Returns true when the rank has moved. The caller
  // may afterwards use only what lies in the rank's own memory.
  static bool run(Rank& me, const StepOptions& options);
  // The call of migrate(), counted from 1, at which the strategy decides next.
  std::uint64_t next_balance() const { return participant_.next_balance(); }
  // The call at which an image may be written next (ImageSchedule).
  std::uint64_t next_image() const { return participant_.next_image(); }
  // Called on the main thread of every process before any rank runs: restores the ranks that live here. Ends the job
  // where the checkpoint belongs to another program.
  void restore();
  // The next step that process 0 decides writes a checkpoint to JobConfig::checkpoint. Any thread; signal-safe.
  void request_checkpoint();
  // At the job's end: says so where a checkpoint was to be written and there was no step. Process 0.
  void report_no_step() const;
  // The next step prints the table of all steps so far. Process 0; any thread; signal-safe.
  void request_summary();

  // Ends balancing steps in all processes, and lets ranks that wait in one go on: threads of a rank that takes part in
  // steps begin to call MPI. Called on the rank's worker while the rank is in no step.
  void disable_for_threads();
  // Requests the same for a rank that is in a step or takes part in none. A step that has been decided is carried out
  // first. Any thread.
  void request_disable();
  bool is_disabled() const { return participant_.barrier().is_open_for_good(); }

  // For the report: seconds until a library that shares out work expects its end, and from the first to finish to the
  // last. Any thread.
  void note_prediction(double left, double spread);

  // Null where process 0 decides alone.
  const StepTree* tree() const { return tree_.get(); }
  // What messages cost, as far as that is known. The calling rank must be in no step.
  lb::Links links() const { return balancer_.decider().links(); }
  // Null where the strategy does not use supersteps.
  Supersteps* supersteps() { return loads_.supersteps(); }
  // Null where nothing is recorded for the simulator.
  RecordedCalls* recorded_calls() { return recorded_calls_.get(); }

  // No payload of a message is being read any more. Any thread (Remote::end_read()).
  void reads_ended();

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override;
  void on(ProcessId from, const StepArrival& arrival);
  void on(ProcessId from, const StepPlan& plan);
  void on(ProcessId from, const FlushMarker& marker);
  void on(ProcessId from, MigrationImage& image);
  void on(ProcessId from, const RankInstalled& installed);
  void on(ProcessId from, const CheckpointPart& part);
  void on(ProcessId from, const MovesDone& done);
  void on(ProcessId from, const AllRestored& all);
  void on(ProcessId from, const StepOver& over);
  void on(ProcessId from, const DisableRequest& request);
  void on(ProcessId from, const DisableSteps& message);
  void on(ProcessId from, const PredictionNote& note);
  Coordinator& coordinator();  // on process 0 only

  void all_arrived(const Rank& last, const StepOptions& options);
  static bool move(Rank& me);
  void on_links(const lb::Links& links);
  void disable(const char* why, const char* remedy = "");

  const JobContext& job_;
  Balancer& balancer_;
  LocalLoads loads_;
  const std::unique_ptr<RecordedCalls> recorded_calls_;
  LinkProbe probe_;
  const std::unique_ptr<StepTree> tree_;
  ParticipantRole participant_;
  const std::unique_ptr<CoordinatorRole> coordinator_;  // null except on process 0
};

// The step of the process in which the rank lives.
inline BalancingStep& step_of(const Rank& rank) { return *rank.job_context.step; }

}  // namespace lbstep
}  // namespace weft::runtime

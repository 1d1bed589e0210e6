// What process 0 does in a balancing step for the whole job.
//
//   state      event                                      next state  what it does
//   gathering  a process's ranks have arrived, others     gathering   adds their loads
//              are missing
//   gathering  the last ranks have arrived                as next() says:
//                measure_links                            measuring   starts to measure
//                decide_later                             deciding    asks the main thread to decide
//                decide_now                               deciding    decides at once
//   gathering  the sums of a hierarchical step are there  deciding    chooses at once
//   measuring  what messages cost is known                deciding    asks the main thread to decide
//   deciding   decide(): nothing moves                    gathering   sends the plan
//   deciding   decide(): ranks move or are saved          moving      sends the plan
//   restoring  a process's ranks are restored               restoring   counts it
//   restoring  the last process's ranks are restored        moving      sends that all are restored
//   moving     a part of the checkpoint                   moving      adds it
//   moving     a process's moves are done                 moving      counts it
//   moving     the last process's moves are done          gathering   sends that the step is over
//   moving     the same, of a checkpoint                  publishing  asks the main thread to publish it
//   publishing the checkpoint is published                gathering   sends that the step is over
//   any        a request to disable steps                 the same    sends disable to all, once it is gathering
//   gathering, disabled     disable                       disabled
//   disabled   ranks arrive; a hierarchical step; what messages cost; a request        disabled   nothing
//
// A disable message comes from a process with a rank that is in no step, so not all ranks have arrived.
//
// A job that restarts begins in `restoring`: files are truncated to their length in the checkpoint only after all ranks
// have opened theirs. A process sends MovesDone twice: when its ranks are restored, and when their files are truncated.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace lbstep {

struct CheckpointPart;
struct StepSums;
struct StepArrival;

class Coordinator {
 public:
  enum class State : std::uint8_t { restoring, gathering, measuring, deciding, moving, publishing, disabled };
  // How the decision is made once all ranks have arrived. A strategy that uses messages between ranks takes long, and
  // may need more stack than a rank has; then the main thread decides.
  enum class Next : std::uint8_t { measure_links, decide_later, decide_now };
  enum class Outcome : std::uint8_t { nothing_moves, ranks_move, ranks_are_saved };

  // The actions that transitions call.
  class Actions {
   public:
    virtual ~Actions() = default;
    virtual void begin_gathering() = 0;  // before the first arrival of a step
    virtual void add_arrival(const StepArrival& arrival) = 0;
    virtual Next next() = 0;
    virtual void measure_links() = 0;  // calls on_links_known() when it is done
    virtual void post_decision() = 0;  // calls decide() on the main thread
    virtual void add_sums(StepSums& sums) = 0;
    virtual Outcome make_plan(std::uint64_t step) = 0;  // kept until send_plan()
    virtual void send_plan() = 0;                       // to all
    virtual void add_part(const CheckpointPart& part) = 0;
    virtual void moves_over() = 0;
    virtual void post_publication() = 0;   // on the main thread; calls on_published() afterwards
    virtual void send_all_restored() = 0;  // to all
    virtual void send_step_over() = 0;     // to all
    virtual void send_disable() = 0;       // to all
  };

  // `resumes`: the ranks first come out of a step of a checkpoint.
  Coordinator(std::uint32_t ranks, std::uint32_t processes, bool resumes, Actions& actions)
      : ranks_(ranks),
        processes_(processes),
        actions_(actions),
        state_(resumes ? State::restoring : State::gathering) {}

  // The ranks come out of this step, which an earlier job began.
  void resume(std::uint64_t step);
  void on_arrival(const StepArrival& arrival);
  void on_sums(StepSums& sums);
  void on_links_known();
  void decide();
  void on_part(const CheckpointPart& part);
  void on_moves_done();
  void on_published();
  void on_disable_request();
  void on_disable();

  State state() const { return state_; }

 private:
  void allow(bool allowed, const char* event) const;
  void end_step();
  void grant_disable();

  const std::uint32_t ranks_;  // of the job
  const std::uint32_t processes_;
  Actions& actions_;
  State state_;
  std::uint64_t steps_ = 0;  // that have been decided
  bool saves_ = false;       // the present step writes a checkpoint
  bool disable_requested_ = false;
  std::uint32_t arrived_ = 0;     // ranks
  std::uint32_t moves_done_ = 0;  // processes
};

}  // namespace lbstep
}  // namespace weft::runtime

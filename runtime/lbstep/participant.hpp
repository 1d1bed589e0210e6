// What a process does in a balancing step with its own ranks.
//
//   state             event                             next state  what it does
//   restoring         a migration image                 restoring   keeps it
//   restoring         resume()                          moving      installs what it has kept
//   running           all ranks here have arrived       waiting
//   waiting, running  the plan: nothing moves           running     begin_step(), opens the barrier: the step is over
//   waiting, running  the plan: ranks move here only    moving      begin_step(), start_moves()
//   waiting, running  the plan: ranks are packed        flushing    begin_step(), start_flush()
//   flushing          a migration image                 flushing    keeps it
//   flushing          the flush is over                 moving      start_moves(), installs what it has kept
//   moving            a migration image                 moving      installs it
//   moving            a rank that left is installed     moving
//   moving            all moves are done, or there are none     moved  tells process 0
//   moved             all ranks are restored            truncating  truncate_files()
//   truncating        the files are truncated           moved       tells process 0
//   moved             the step is over                  running     opens the barrier: the step is over
//   running, waiting, moved, disabled  disable          disabled    opens the barrier for good
//   disabled          ranks arrive; a plan by which nothing moves; the step is over     disabled   nothing
//
// A job that restarts begins in `restoring`: a rank may arrive from a process that has read it from a file before this
// process has begun to read.
//
// The plan reaches a process in `running` only if it has no ranks. A migration image may arrive while this process
// still flushes: another process's flush may end earlier. A disable message comes from a process with a rank that has
// left the step, so nothing moves any more; but the last message of process 0 may arrive after it, on another channel.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "runtime/lbstep/migration_image.hpp"

namespace weft::runtime {
inline namespace lbstep {

struct StepPlan;

class Participant {
 public:
  enum class State : std::uint8_t { restoring, running, waiting, flushing, moving, moved, truncating, disabled };

  // The actions that transitions call.
  class Actions {
   public:
    virtual ~Actions() = default;
    virtual bool has_ranks() const = 0;
    // Takes the plan and the step's number. Returns whether ranks are packed.
    virtual bool begin_step(std::uint64_t step, const StepPlan& plan) = 0;
    virtual void start_flush() = 0;
    // Starts the moves. False if this process has no ranks and gets none. Else on_moves_done() follows, once all ranks
    // have arrived where they live now (also those that do not move), and those that left are installed elsewhere.
    virtual bool start_moves(std::uint64_t step) = 0;
    virtual void install(ProcessId from, MigrationImage image) = 0;
    virtual void note_installed(RankId rank) = 0;  // in another process; it lived in this one
    virtual void send_moves_done() = 0;
    virtual void truncate_files() = 0;              // of restored ranks; calls on_files_truncated() afterwards
    virtual void end_step(std::uint64_t step) = 0;  // opens the barrier
    virtual void open_for_good() = 0;               // the same for this step and all others
  };

  // `resumes`: the ranks first come out of a step of a checkpoint.
  Participant(bool resumes, Actions& actions)
      : actions_(actions), state_(resumes ? State::restoring : State::running) {}

  // False: steps are disabled, and the ranks continue without one.
  bool on_all_arrived();
  void on_plan(const StepPlan& plan);
  void on_flush_over();
  void on_image(ProcessId from, MigrationImage image);
  void on_installed(RankId rank);
  void on_moves_done();
  void on_all_restored();
  void on_files_truncated();
  void on_step_over();
  void on_disable();
  // Called before any rank runs: they all come out of this step, which an earlier job began. The moves of this step are
  // the ranks that this process reads, and those that others read for it.
  void resume(std::uint64_t step);

  State state() const { return state_; }
  // The number of steps that have begun, including the present one.
  std::uint64_t steps() const { return steps_; }

 private:
  void allow(bool allowed, const char* event) const;
  void move();
  void install_kept();

  Actions& actions_;
  State state_;
  std::uint64_t steps_ = 0;
  std::vector<std::pair<ProcessId, MigrationImage>> kept_;
};

}  // namespace lbstep
}  // namespace weft::runtime

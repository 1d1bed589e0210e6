// Finds the end of a job: all ranks have ended or, in a job of several processes, none can ever run again. In a job of
// one process Job::look_for_deadlock() finds the latter.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/control/control_handler.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/ranks_ended.hpp"
#include "runtime/termination/idle_search.hpp"
#include "runtime/termination/termination_messages.hpp"

namespace weft::runtime {
inline namespace termination {

// Deadlocks are found as described in idle_search.hpp.
class Termination final : public ControlHandler {
 public:
  explicit Termination(const JobContext& job);

  // With --survive api: a process has died. Any thread.
  void process_died();
  // Adds the ranks of a spawned world that starts, on these workers of the job, one rank for each entry.
  void add_started_ranks(std::span<const std::uint32_t> workers);
  // Main thread, while all workers sleep: reports to process 0 if nothing runs here. False: something may still be
  // under way, call it again.
  bool report_idle();

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override;
  using Search = IdleSearch<std::vector<ReportedState>>;

  void on(ProcessId from, const RanksEnded& ended);
  void on(ProcessId from, const AllEnded& ended);
  void on(ProcessId from, const ProcessIdle& idle);
  void on(ProcessId from, const IdleQuery& query);
  void on(ProcessId from, const ReportQuery& query);
  void on(ProcessId from, DeadlockPart& part);
  void check_end();
  bool is_lost(ProcessId process) const;
  // On the main thread: nothing runs in this process, and it neither sends nor reads anything.
  bool asleep() const;
  // On the main thread.
  void note_state(ProcessId from, const IdleState& state);
  void note_report(const BlockedRanks& part);

  const JobContext& job_;
  // Guarded by the lock. By process, as the coordinator knows: how many ranks have started there, and have ended.
  std::vector<std::uint32_t> started_, ended_;
  bool is_over_ = false;                      // guarded by the lock: this process knows that all ranks have ended
  std::atomic<bool> lost_processes_ = false;  // a process has died (--survive api)

  // Touched by the main thread only.
  IdleProcess self_;
  Search search_;         // used on process 0
  BlockedRanks blocked_;  // on process 0: of the processes that have sent their part of the report
  std::uint32_t reports_missing_ = 0;
};

}  // namespace termination
}  // namespace weft::runtime

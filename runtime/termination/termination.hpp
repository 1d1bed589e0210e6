// The end of a job of several processes: all ranks have ended, or none can ever run again.
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

// How a deadlock is found: idle_search.hpp.
class Termination final : public ControlHandler {
 public:
  explicit Termination(const JobContext& job);

  // With --survive api: a process has died. Any thread.
  void process_died();
  // Of a world that starts, on these workers of the job.
  void expect(std::span<const std::uint32_t> workers);
  // Main thread: all workers sleep and no inbox holds anything. False: something may still be under way, ask again.
  bool nothing_runs();

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override;
  using Search = IdleSearch<std::vector<ToldState>>;

  void on(ProcessId from, const RanksEnded& ended);
  void on(ProcessId from, const AllEnded& ended);
  void on(ProcessId from, const ProcessIdle& idle);
  void on(ProcessId from, const IdleQuery& query);
  void on(ProcessId from, const ReportQuery& query);
  void on(ProcessId from, DeadlockPart& part);
  void check_end();
  bool is_lost(ProcessId process) const;
  bool asleep() const;
  // On the main thread.
  void note_state(ProcessId from, const IdleState& state);
  void note_report(const BlockedRanks& part);

  const JobContext& job_;
  // Guarded by the lock. Ranks by process: that have started there, and that have ended, as the coordinator knows.
  std::vector<std::uint32_t> started_, ended_;
  bool is_over_ = false;
  std::atomic<bool> lost_processes_ = false;

  // The main thread's.
  IdleProcess self_;
  Search search_;         // process 0's
  BlockedRanks blocked_;  // process 0's, of those that have reported
  std::uint32_t reports_missing_ = 0;
};

}  // namespace termination
}  // namespace weft::runtime

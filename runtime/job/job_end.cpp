// The end of a job in one process: its ranks have ended, the job is aborted, or no rank can ever run again.
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "base/say.hpp"
#include "runtime/control/ranks_ended.hpp"
#include "runtime/job/job.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/termination/deadlock.hpp"
#include "runtime/termination/termination.hpp"

namespace weft::runtime {
inline namespace job {
namespace {

// Ends the process after a while, in case the rest of an abort hangs, as on a stream that a blocked thread has locked.
void end_after_timeout(int code) {
  constexpr unsigned kTimeoutSeconds = 20;
  static std::atomic<int> exit_code;
  exit_code.store(code);
  std::signal(SIGALRM, [](int) { ::_exit(exit_code.load()); });
  ::alarm(kTimeoutSeconds);
}

[[noreturn]] void end_at_once(const JobConfig& config, int code, const std::string& message, bool with_others) {
  static std::atomic_flag ends;  // set: a thread is ending the process
  if (ends.test_and_set()) {
    for (;;) {
      ::pause();  // that thread ends the process, with its message
    }
  }
  const int kept = (code & 0xff) == 0 ? 1 : code & 0xff;  // the system keeps eight bits
  end_after_timeout(kept);
  if (config.before_abort) {
    config.before_abort();
  }
  base::say(message + "\n");
  std::fflush(nullptr);
  if (with_others && config.end_processes) {
    config.end_processes(kept);
  }
  _exit(kept);
}

}  // namespace

void Job::rank_ended(bool spawned) {
  ++ranks_.ended;
  // Pairs with rank_ended() of the other workers, and with report_ended_ranks() on any thread: a thread that sees that
  // no rank lives here any more also sees the final count of ended ones. If the last rank of either kind ends at the
  // same time, one of the two sees the other.
  if (--(spawned ? ranks_.live_spawned : ranks_.live) == 0) {
    report_ended_ranks(*context_);
  }
}

// False while something is still being sent: its end need not wake a worker, so this must be called again.
bool Job::look_for_deadlock() {
  if (failures_ != nullptr) {
    return true;  // the launcher may still report a failure, and messages of dead processes are in no count
  }
  if (!nothing_under_way(*context_)) {
    return false;
  }
  if (process_count() == 1) {
    abort(1, deadlock_report(blocked_ranks(*context_)));
  }
  return termination_->report_idle();
}

void Job::abort(int code, const std::string& message) { end_at_once(config_, code, message, true); }
void Job::end_process(int code, const std::string& message) { end_at_once(config_, code, message, false); }

}  // namespace job
}  // namespace weft::runtime

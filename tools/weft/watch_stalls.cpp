// weft watch-stalls JOB SECONDS: what `weftrun --stall` starts. Looks again and again whether the job gets on, until
// standard input ends, and prints its stacks on standard error where it does not.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "base/say.hpp"
#include "tools/weft/asked_job.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/stacks_report.hpp"
#include "tools/weft/stall_clock.hpp"

namespace weft::tools::weft_tool {
namespace {

using Clock = StallClock::Clock;

// Nobody writes to it.
bool input_ends_within(std::chrono::milliseconds time) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, static_cast<int>(time.count())) > 0;
}

JobProgress progress_of(AskedJob& job) {
  constexpr int kSeconds = 2;
  const Answers<inspect::Progress> answers = job.ask<inspect::Progress>(inspect::Subject::progress, kSeconds);
  JobProgress progress;
  for (std::size_t i = 0; i < answers.processes.size(); ++i) {
    progress[answers.numbers[i]] = answers.processes[i].done;
  }
  return progress;
}

// Once more where a worker could not be stopped: it may have been in a system call just then, or have had no core.
StacksReport ask_patiently(AskedJob& job) {
  constexpr int kTimes = 5;
  constexpr std::chrono::milliseconds kPause(200);
  StacksReport report = ask_stacks(job);
  for (int i = 1; i < kTimes &&
                  std::ranges::count(report.groups, inspect::Activity::unknown, &inspect::StackGroup::activity) != 0 &&
                  !input_ends_within(kPause);
       ++i) {
    report = ask_stacks(job);
  }
  return report;
}

void report_stall(AskedJob& job, Clock::duration time) {
  base::say(fmt::format("weft: no rank has sent a message or completed an MPI call for {:.1f} s (--stall):\n{}",
                        std::chrono::duration<double>(time).count(), report_text(ask_patiently(job), false)));
}

}  // namespace

int watch_stalls(const std::string& name, double seconds) {
  using std::chrono::milliseconds;
  constexpr milliseconds kShortest(20), kLongest(5000);
  constexpr int kLooks = 10;  // in the time after which a job has stalled
  const auto limit = std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
  if (const pid_t child = ::fork(); child != 0) {
    ::_exit(child > 0 ? 0 : 1);  // see launch/stall_watch.hpp
  }
  try {
    AskedJob job(name);
    StallClock clock(limit);
    while (!input_ends_within(std::clamp(limit / kLooks, kShortest, kLongest))) {
      if (const auto time = clock.look(progress_of(job), Clock::now())) {
        report_stall(job, *time);
      }
    }
  } catch (const std::exception&) {
    return 1;  // the job has ended
  }
  return 0;
}

}  // namespace weft::tools::weft_tool

// weft watch-stalls JOB SECONDS: started by `weftrun --stall`. Polls the job's progress until standard input ends, and
// prints the job's stacks on standard error when there was none for so long.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <exception>
#include <string>

#include <fmt/format.h>

#include "base/say.hpp"
#include "tools/weft/commands.hpp"
#include "tools/weft/job_client.hpp"
#include "tools/weft/stacks_report.hpp"
#include "tools/weft/stall_clock.hpp"

namespace weft::tools::weft_tool {
namespace {

using Clock = StallClock::Clock;

// Nothing is ever written to standard input: it becomes readable when the other end is closed.
bool input_ends_within(std::chrono::milliseconds time) {
  pollfd input{STDIN_FILENO, POLLIN, 0};
  return ::poll(&input, 1, static_cast<int>(time.count())) > 0;
}

JobProgress progress_of(JobClient& job) {
  constexpr int kSeconds = 2;
  const Answers<inspect::Progress> answers = job.query<inspect::Progress>(inspect::Subject::progress, kSeconds);
  JobProgress progress;
  for (std::size_t i = 0; i < answers.processes.size(); ++i) {
    progress[answers.numbers[i]] = answers.processes[i].done;
  }
  return progress;
}

// Queries again if a worker could not be stopped: it may have been in a system call at that moment, or had no core.
StacksReport query_stacks_with_retries(JobClient& job) {
  constexpr int kTimes = 5;
  constexpr std::chrono::milliseconds kPause(200);
  StacksReport report = query_stacks(job);
  for (int i = 1; i < kTimes &&
                  std::ranges::count(report.groups, inspect::Activity::unknown, &inspect::StackGroup::activity) != 0 &&
                  !input_ends_within(kPause);
       ++i) {
    report = query_stacks(job);
  }
  return report;
}

void report_stall(JobClient& job, Clock::duration time) {
  base::say(fmt::format("weft: no rank has sent a message or completed an MPI call for {:.1f} s (--stall):\n{}",
                        std::chrono::duration<double>(time).count(),
                        report_text(query_stacks_with_retries(job), false)));
}

}  // namespace

int watch_stalls(const std::string& name, double seconds) {
  using std::chrono::milliseconds;
  constexpr milliseconds kShortest(20), kLongest(5000);
  constexpr int kPolls = 10;  // in the time after which a job has stalled
  const auto limit = std::chrono::duration_cast<milliseconds>(std::chrono::duration<double>(seconds));
  if (const pid_t child = ::fork(); child != 0) {
    ::_exit(child > 0 ? 0 : 1);  // see launch/stall_watch.hpp
  }
  try {
    JobClient job(name);
    StallClock clock(limit);
    while (!input_ends_within(std::clamp(limit / kPolls, kShortest, kLongest))) {
      if (const auto time = clock.update(progress_of(job), Clock::now())) {
        report_stall(job, *time);
      }
    }
  } catch (const std::exception&) {
    return 1;  // the job has ended
  }
  return 0;
}

}  // namespace weft::tools::weft_tool

// weft watch-stalls JOB SECONDS: what `weftrun --stall` starts. Looks again and again whether the job gets on, until
// standard input ends, and prints its stacks on standard error where it does not.
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/say.hpp"
#include "tools/weft/asking.hpp"
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

JobProgress progress_of(const inspect::FoundJob& job) {
  constexpr int kSeconds = 2;
  JobProgress progress;
  for (const std::uint32_t process : job.processes) {
    if (const auto answer = ask<inspect::Progress>(job, process, inspect::Subject::progress, kSeconds)) {
      progress[process] = answer->done;
    }
  }
  return progress;
}

void report_stall(const inspect::FoundJob& job, Clock::duration time) {
  base::say(fmt::format("weft: no rank has sent a message or completed an MPI call for {:.1f} s (--stall):\n{}",
                        std::chrono::duration<double>(time).count(), report_text(ask_stacks(job), false)));
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
  StallClock clock(limit);
  while (!input_ends_within(std::clamp(limit / kLooks, kShortest, kLongest))) {
    const std::optional<inspect::FoundJob> job = find_job(name);
    if (!job) {
      continue;
    }
    if (const auto time = clock.look(progress_of(*job), Clock::now())) {
      try {
        report_stall(*job, *time);
      } catch (const std::exception&) {
        continue;  // it has ended meanwhile
      }
    }
  }
  return 0;
}

}  // namespace weft::tools::weft_tool

#include "runtime/bootstrap/job_recovery.hpp"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"

namespace weft::bootstrap {
namespace {

std::string verdict_text(RecoveryPolicy::Verdict verdict, std::uint32_t recoveries) {
  if (verdict == RecoveryPolicy::Verdict::same_crash) {
    return "the second time at the same place: the program's own fault, not survived again";
  }
  return fmt::format("after {} recoveries, the limit of --survive-limit", recoveries);
}

std::string processes_text(const ProcessSet& processes) {
  std::string text = fmt::format("{} process{}", processes.count, processes.count == 1 ? "" : "es");
  if (processes.workers_each != 0) {
    text += fmt::format(" of {} worker{}", processes.workers_each, processes.workers_each == 1 ? "" : "s");
  }
  return text;
}

}  // namespace

JobRecovery::JobRecovery(std::uint32_t processes, std::uint32_t limit)
    : files_(processes), now_{.count = processes}, policy_(limit), input_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {}

int JobRecovery::run(const std::function<RunEnd(std::uint32_t count)>& run_processes,
                     const std::function<void(const ProcessSet&)>& before_change) {
  for (;;) {
    announce();
    const RunEnd end = run_once(run_processes);
    if (end.resumed) {
      before_.reset();
    }
    if (end.next) {
      change_to(*end.next);
    } else if (!end.death || !goes_on(end)) {
      if (!before_ || end.stopped) {
        ::unsetenv(kImagesVariable);
        return end.code;
      }
      change_back();
    }
    if (before_change) {
      before_change(now_);
    }
  }
}

// Processes that cannot even be made are of no harm where there were others.
RunEnd JobRecovery::run_once(const std::function<RunEnd(std::uint32_t count)>& run_processes) const {
  try {
    return run_processes(now_.count);
  } catch (const std::exception& error) {
    if (!before_) {
      throw;
    }
    base::say(fmt::format("weftrun: {}\n", error.what()));
    RunEnd end;
    end.code = 1;
    return end;
  }
}

void JobRecovery::change_to(const ProcessSet& next) {
  try {
    files_.make_room(next.count);
  } catch (const std::exception& error) {
    base::say(fmt::format("weftrun: {}: the job goes on with {} as before\n", error.what(), processes_text(now_)));
    refusal_ = error.what();
    return;
  }
  before_ = std::exchange(now_, next);
  files_.empty_from(1 - *whole_, now_.count);
  base::say(fmt::format("weftrun: the job goes on with {} in place of {}, from step {}\n", processes_text(now_),
                        before_->count, step_));
}

// The image is still that of the processes before.
void JobRecovery::change_back() {
  refusal_ = fmt::format("{} could not start", processes_text(now_));
  now_ = *std::exchange(before_, std::nullopt);
  files_.drop_from(now_.count);
  base::say(fmt::format("weftrun: the job goes on with {} as before\n", processes_text(now_)));
  rewind_input();
}

void JobRecovery::rewind_input() const {
  if (input_ >= 0) {
    ::lseek(STDIN_FILENO, input_, SEEK_SET);  // of a file; what came through a pipe is gone
  }
}

// To the processes that are started next.
void JobRecovery::announce() {
  ImagesAddress address{.paths = files_.paths(), .whole = whole_, .refusal = std::exchange(refusal_, {})};
  address.seconds =
      static_cast<std::uint32_t>(std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count());
  ::setenv(kImagesVariable, to_text(address).c_str(), 1);
}

void JobRecovery::on_image(std::uint32_t image, std::uint64_t step, off_t input) {
  whole_ = image;
  step_ = step;
  input_ = input;
  since_ = Clock::now();
  policy_.on_image();
  files_.empty_from(1 - image, now_.count);  // of processes that are no more
}

bool JobRecovery::goes_on(const RunEnd& end) {
  const auto verdict = policy_.on_death(*end.death);
  if (verdict != RecoveryPolicy::Verdict::recover) {
    base::say(fmt::format("weftrun: {}, {}\n", end.what, verdict_text(verdict, policy_.recoveries())));
    return false;
  }
  say_recovery(end);
  rewind_input();
  since_ = Clock::now();
  return true;
}

void JobRecovery::say_recovery(const RunEnd& end) const {
  const double seconds = std::chrono::duration<double>(Clock::now() - since_).count();
  const std::string from = whole_ ? fmt::format("goes on from the image of step {}", step_)
                                  : std::string("has no image yet and starts again as it was started");
  base::say(fmt::format("weftrun: {}: the job {}; the work of {:.1f} s is repeated, and its output comes again\n",
                        end.what, from, seconds));
}

}  // namespace weft::bootstrap

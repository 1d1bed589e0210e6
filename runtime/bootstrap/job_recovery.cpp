#include "runtime/bootstrap/job_recovery.hpp"

#include <unistd.h>

#include <cstdlib>

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

}  // namespace

JobRecovery::JobRecovery(std::uint32_t processes, std::uint32_t limit)
    : files_(processes), policy_(limit), input_(::lseek(STDIN_FILENO, 0, SEEK_CUR)) {}

int JobRecovery::run(const std::function<RunEnd()>& run_processes) {
  for (;;) {
    announce();
    const RunEnd end = run_processes();
    if (!end.death || !goes_on(end)) {
      ::unsetenv(kImagesVariable);
      return end.code;
    }
  }
}

// To the processes that are started next.
void JobRecovery::announce() const {
  ImagesAddress address{.paths = files_.paths(), .whole = whole_};
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
}

bool JobRecovery::goes_on(const RunEnd& end) {
  const auto verdict = policy_.on_death(*end.death);
  if (verdict != RecoveryPolicy::Verdict::recover) {
    base::say(fmt::format("weftrun: {}, {}\n", end.what, verdict_text(verdict, policy_.recoveries())));
    return false;
  }
  say_recovery(end);
  if (input_ >= 0) {
    ::lseek(STDIN_FILENO, input_, SEEK_SET);  // of a file; what came through a pipe is gone
  }
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

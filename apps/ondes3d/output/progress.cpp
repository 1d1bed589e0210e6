#include "output/progress.hpp"

#include <unistd.h>

#include <cstdio>

namespace ondes3d {

Progress::Progress(int steps, bool visible)
    : steps_(steps), visible_(visible), terminal_(isatty(STDOUT_FILENO) == 1), begin_(Clock::now()), last_(begin_) {}

void Progress::show(int done) {
  if (!visible_) {
    return;
  }
  const auto now = Clock::now();
  const int tenth = static_cast<int>(10LL * done / steps_);
  const bool due = terminal_ ? now - last_ > std::chrono::milliseconds(500) || done == steps_ : tenth > tenth_;
  if (!due) {
    return;
  }
  last_ = now;
  tenth_ = tenth;
  const double spent = std::chrono::duration<double>(now - begin_).count();
  const double left = spent / done * (steps_ - done);
  std::printf("%sstep %d of %d (%d %%), %.1f s, %.1f s left%s", terminal_ ? "\r" : "", done, steps_,
              100 * done / steps_, spent, left, terminal_ && done < steps_ ? "   " : "\n");
  std::fflush(stdout);
}

}  // namespace ondes3d

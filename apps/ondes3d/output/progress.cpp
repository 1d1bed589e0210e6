#include "output/progress.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>

#include "output/out_file.hpp"

namespace ondes3d {

std::string in_words(double seconds) {
  if (seconds < 99.95) {
    return format("%.1f s", seconds);
  }
  const int whole = static_cast<int>(std::lround(seconds));
  return whole < 6000 ? format("%d min %02d s", whole / 60, whole % 60)
                      : format("%d h %02d min", whole / 3600, whole / 60 % 60);
}

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
  std::string line = format("step %d of %d (%d %%), %s", done, steps_, static_cast<int>(100LL * done / steps_),
                            in_words(spent).c_str());
  if (done < steps_) {
    line += format(", %s left", in_words(spent / done * (steps_ - done)).c_str());
  }
  // Blanks wipe what a longer line left behind.
  std::printf("%s%s%s", terminal_ ? "\r" : "", line.c_str(),
              !terminal_      ? "\n"
              : done < steps_ ? "    "
                              : "          \n");
  std::fflush(stdout);
}

}  // namespace ondes3d

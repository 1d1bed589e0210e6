#include "tools/weftsim/progress.hpp"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "base/printable.hpp"

namespace weft::tools::weftsim {

Progress::Progress(std::string_view what, bool quiet)
    : what_(base::printable(what)), quiet_(quiet), terminal_(::isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() { end(); }

void Progress::end() {
  if (open_) {
    std::fputs("\n", stderr);
  }
  open_ = false;
}

void Progress::show(std::size_t done, std::size_t all, std::string_view now) {
  const std::size_t tenths = all == 0 ? 10 : 10 * done / all;
  if (quiet_ || (!terminal_ && tenths == tenths_)) {
    return;
  }
  tenths_ = tenths;
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  std::string line = fmt::format("weftsim: {} of {} {}", done, all, what_);
  if (done != 0 && done < all) {
    line += fmt::format(", {:.0f} s left", passed / static_cast<double>(done) * static_cast<double>(all - done));
  } else if (done != 0) {
    line += fmt::format(" in {:.1f} s", passed);
  }
  line += now.empty() ? "" : ": " + base::printable(now);
  std::fputs((terminal_ ? "\r" + line + "\033[K" : line + "\n").c_str(), stderr);
  open_ = terminal_;
}

}  // namespace weft::tools::weftsim

// One line that says how far the run is and how long it will still take.
#pragma once

#include <chrono>
#include <string>

namespace ondes3d {

// "12.3 s", "3 min 05 s", "2 h 41 min".
[[nodiscard]] std::string in_words(double seconds);

// On a terminal the line is redrawn twice a second, elsewhere a new one is written every tenth of the way.
class Progress {
 public:
  Progress(int steps, bool visible);
  void show(int done);

 private:
  using Clock = std::chrono::steady_clock;
  int steps_;
  bool visible_;
  bool terminal_;
  Clock::time_point begin_;
  Clock::time_point last_;
  int tenth_ = 0;
};

}  // namespace ondes3d

// Decides when a job has stalled, for `weftrun --stall`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace weft::tools::weft_tool {

// What each process has done so far, by its number (inspect::Progress).
using JobProgress = std::map<std::uint32_t, std::uint64_t>;

class StallClock {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StallClock(Clock::duration limit) : limit_(limit) {}

  // How long nothing has been done, where that is the limit or more for the first time since something was. A process
  // that is missing in `progress`, because it does not answer, counts as before.
  std::optional<Clock::duration> look(const JobProgress& progress, Clock::time_point now);

 private:
  const Clock::duration limit_;
  JobProgress known_;
  Clock::time_point since_;  // when it was found to have changed
  bool is_reported_ = false;
};

}  // namespace weft::tools::weft_tool

// Decides when a job has stalled, for `weftrun --stall`.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace weft::tools::weft_tool {

// Each process's progress counter so far, by the process's number (inspect::Progress).
using JobProgress = std::map<std::uint32_t, std::uint64_t>;

class StallClock {
 public:
  using Clock = std::chrono::steady_clock;

  explicit StallClock(Clock::duration limit) : limit_(limit) {}

  // How long there has been no progress. Nothing, if that is less than the limit or was returned before and there was
  // no progress since. A process that is missing in `progress`, because it does not answer, keeps its counter.
  std::optional<Clock::duration> update(const JobProgress& progress, Clock::time_point now);

 private:
  const Clock::duration limit_;
  JobProgress known_;
  Clock::time_point since_;  // of the last progress that was seen
  bool is_reported_ = false;
};

}  // namespace weft::tools::weft_tool

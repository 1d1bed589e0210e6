#include "tools/weft/stall_clock.hpp"

namespace weft::tools::weft_tool {

std::optional<StallClock::Clock::duration> StallClock::update(const JobProgress& progress, Clock::time_point now) {
  bool has_progressed = false;
  for (const auto& [process, done] : progress) {
    const auto [known, is_new] = known_.try_emplace(process, done);
    has_progressed = has_progressed || is_new || known->second != done;
    known->second = done;
  }
  if (has_progressed) {
    since_ = now;
    is_reported_ = false;
  }
  if (known_.empty() || is_reported_ || now - since_ < limit_) {
    return std::nullopt;
  }
  is_reported_ = true;
  return now - since_;
}

}  // namespace weft::tools::weft_tool

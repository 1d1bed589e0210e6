#include "tools/weft/stall_clock.hpp"

namespace weft::tools::weft_tool {

std::optional<StallClock::Clock::duration> StallClock::look(const JobProgress& progress, Clock::time_point now) {
  bool gets_on = false;
  for (const auto& [process, done] : progress) {
    const auto [known, is_new] = known_.try_emplace(process, done);
    gets_on = gets_on || is_new || known->second != done;
    known->second = done;
  }
  if (gets_on) {
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

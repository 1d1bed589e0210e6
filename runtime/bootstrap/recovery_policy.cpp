#include "runtime/bootstrap/recovery_policy.hpp"

#include <algorithm>
#include <array>

namespace weft::bootstrap {
namespace {

// Ranks may have been elsewhere the time before, so that another process dies of the same crash.
bool are_same(const ProcessDeath& first, const ProcessDeath& second) {
  const bool at_same_place =
      first.place.empty() && second.place.empty() ? first.process == second.process : first.place == second.place;
  return first.signal == second.signal && at_same_place;
}

}  // namespace

bool is_crash(int signal) {
  constexpr std::array kCrashes{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS, SIGXCPU, SIGXFSZ};
  return std::ranges::find(kCrashes, signal) != kCrashes.end();
}

RecoveryPolicy::Verdict RecoveryPolicy::on_death(const ProcessDeath& death) {
  if (is_crash(death.signal) && !death.from_outside) {
    if (last_crash_ && are_same(*last_crash_, death)) {
      return Verdict::same_crash;
    }
    last_crash_ = death;
  }
  if (recoveries_ == limit_) {
    return Verdict::limit_reached;
  }
  ++recoveries_;
  return Verdict::recover;
}

}  // namespace weft::bootstrap

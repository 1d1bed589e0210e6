#include "runtime/bootstrap/recovery_policy.hpp"

#include <algorithm>
#include <array>

namespace weft::bootstrap {
namespace {

// The ranks may have moved since, so the same crash may kill another process.
bool are_same(const ProcessDeath& first, const ProcessDeath& second) {
  const bool at_same_site =
      first.site.empty() && second.site.empty() ? first.process == second.process : first.site == second.site;
  return first.signal == second.signal && at_same_site;
}

}  // namespace

bool is_crash(int signal) {
  constexpr std::array kCrashes{SIGSEGV, SIGBUS,  SIGFPE,  SIGILL,  SIGABRT,   SIGTRAP, SIGSYS,
                                SIGXCPU, SIGXFSZ, SIGALRM, SIGPROF, SIGVTALRM, SIGUSR1, SIGUSR2};
  return std::ranges::find(kCrashes, signal) != kCrashes.end();
}

RecoveryPolicy::Verdict RecoveryPolicy::on_death(const ProcessDeath& death) {
  if (is_crash(death.signal) && !death.from_outside) {
    if (std::ranges::any_of(crashes_, [&](const ProcessDeath& crash) { return are_same(crash, death); })) {
      return Verdict::same_crash;
    }
    crashes_.push_back(death);
  }
  if (recoveries_ == limit_) {
    return Verdict::limit_reached;
  }
  ++recoveries_;
  return Verdict::recover;
}

}  // namespace weft::bootstrap

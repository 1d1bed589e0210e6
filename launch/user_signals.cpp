#include "launch/user_signals.hpp"

#include <atomic>
#include <csignal>

#include "base/say.hpp"
#include "runtime/bootstrap/stop_signals.hpp"
#include "runtime/lbstep/balancing_step.hpp"

namespace weft::launch {
namespace {

std::atomic<runtime::BalancingStep*> running_step = nullptr;

// Signal handler: calls this member of the running balancing step.
template <void (runtime::BalancingStep::*request)()>
void call_step(int /*signal*/) {
  if (runtime::BalancingStep* const step = running_step.load(); step != nullptr) {
    (step->*request)();
  }
}

void refuse_checkpoint(int /*signal*/) {
  base::say("weft: SIGUSR1 asks for a checkpoint, and there is no --checkpoint DIR\n");
}

void refuse_summary(int /*signal*/) {
  base::say("weft: SIGUSR2 asks for the table of balancing steps, and there is no --lb NAME\n");
}

}  // namespace

UserSignals::UserSignals(const runtime::Job& job, const runtime::JobConfig& config) {
  running_step.store(&job.step());
  const bool checkpoints = !config.checkpoint.empty();
  std::signal(SIGUSR1, checkpoints ? call_step<&runtime::BalancingStep::request_checkpoint> : refuse_checkpoint);
  std::signal(SIGUSR2, config.lb != "none" ? call_step<&runtime::BalancingStep::request_summary> : refuse_summary);
  bootstrap::mask_user_signals(SIG_UNBLOCK);
}

UserSignals::~UserSignals() { running_step.store(nullptr); }

}  // namespace weft::launch

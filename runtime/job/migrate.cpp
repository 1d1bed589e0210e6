// Whether a call of MPI_Migrate, or of a collective named by --migrate-at, is a balancing step.
#include "runtime/job/job.hpp"
#include "runtime/lbstep/balancing_step.hpp"

namespace weft::runtime {
inline namespace job {

bool Job::migrate(Rank& me, const StepOptions& options) {
  if (RecordedCalls* const recorded = step_->recorded_calls(); recorded != nullptr) [[unlikely]] {
    recorded->note(me);
  }
  if (step_->is_disabled()) {
    return false;
  }
  if (Supersteps* const supersteps = step_->supersteps(); supersteps != nullptr) [[unlikely]] {
    supersteps->end(me);
  }
  const bool due = config_.lb != "none" && ++me.migrate_calls >= step_->next_balance();
  if (!(due && options.balance) && options.checkpoint.empty() && config_.checkpoint.empty()) {
    return false;
  }
  return BalancingStep::run(me, {due && options.balance, options.checkpoint});
}

}  // namespace job
}  // namespace weft::runtime

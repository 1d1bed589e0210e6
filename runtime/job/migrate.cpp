// The calls by which ranks come to a balancing step: MPI_Migrate(), or a collective that --migrate-at names. Also
// passes on predictions for the report.
#include "runtime/job/job.hpp"
#include "runtime/lbstep/balancing_step.hpp"

namespace weft::runtime {
inline namespace job {

bool Job::migrate(Rank& me, const StepOptions& options) {
  if (me.world != nullptr) {
    return false;
  }
  if (RecordedCalls* const recorded = step_->recorded_calls(); recorded != nullptr) [[unlikely]] {
    recorded->note(me);
  }
  if (step_->is_disabled()) {
    return false;
  }
  if (Supersteps* const supersteps = step_->supersteps(); supersteps != nullptr) [[unlikely]] {
    supersteps->end(me);
  }
  const bool counts = config_.lb != "none" || config_.survive;
  const std::uint64_t call = counts ? ++me.migrate_calls : 0;
  const bool due = config_.lb != "none" && call >= step_->next_balance();
  const bool saves = config_.survive ? call >= step_->next_image() : !config_.checkpoint.empty();
  if (!(due && options.balance) && options.checkpoint.empty() && !options.image && !saves) {
    return false;
  }
  return BalancingStep::run(me, {due && options.balance, options.checkpoint, options.image});
}

void Job::note_prediction(double left, double spread) { step_->note_prediction(left, spread); }

}  // namespace job
}  // namespace weft::runtime

#include "mpi_shim/coll/schedule/schedule.hpp"

#include "mpi_shim/coll/collective_steps.hpp"
#include "mpi_shim/entry/failure_errors.hpp"
#include "mpi_shim/state/state.hpp"

namespace weft::mpi_shim {
inline namespace coll {

// After a failure in the communicator steps have no effect, except that waits wait for messages that have been started.
bool Schedule::perform(RankState& me, const ScheduleStep& step) {
  runtime::Request& request = requests_[step.ticket];
  // Null after a move, which ranks do not make in a job with --survive api. Pairs with CommFailures::note().
  if (comm_ != nullptr && comm_->failures.any.load(std::memory_order_acquire)) [[unlikely]] {
    failure_ = comm_->failures.is_revoked() ? runtime::Failure::revoked : runtime::Failure::process_failed;
    return step.kind != ScheduleStep::Kind::wait || request.done;
  }
  switch (step.kind) {
    case ScheduleStep::Kind::send:
      request.prepare_send(*me.rank, step.key, step.member, op_threw_ ? runtime::Buffer{} : step.from);
      runtime::start_send(me.rank->job.rank(step.to), runtime::SendMode::standard, request);
      break;
    case ScheduleStep::Kind::receive:
      runtime::start_receive(*me.rank, step.key, step.into, request);
      break;
    case ScheduleStep::Kind::wait:
      if (!request.done) {
        return false;
      }
      truncated_ |= request.kind == runtime::Request::Kind::receive && request.truncated;
      op_threw_ |= op_may_throw_ && is_short_receive(request);
      break;
    case ScheduleStep::Kind::copy:
      runtime::transfer(step.from, step.into);
      truncated_ |= step.member >= 0 && step.from.bytes > step.into.bytes;
      break;
    case ScheduleStep::Kind::combine:
      combine(step);
      break;
  }
  return true;
}

void Schedule::combine(const ScheduleStep& step) {
  const std::size_t n = step.from.count;
  if (combination_->kernel != nullptr) {
    combination_->kernel(step.into.base, step.from.base, n);
  } else if (!op_threw_) {
    op_threw_ = !pending_exception_.run(
        [&] { call_user_function(combination_->user_op, step.from.base, step.into.base, n, *combination_->type); });
  }
}

bool Schedule::advance(RankState& me) {
  while (next_ < steps_.size()) {
    if (!perform(me, steps_[next_])) {
      return false;
    }
    ++next_;
  }
  return true;
}

// Only the message of the next wait: completing others does not let the schedule advance.
void Schedule::add_awaited(std::vector<runtime::Request*>& awaited) {
  awaited.push_back(&requests_[steps_[next_].ticket]);
}

void Schedule::add_open(std::vector<runtime::Request*>& open) {
  for (std::size_t i = 0; i < request_count_; ++i) {
    if (!requests_[i].done) {
      open.push_back(&requests_[i]);
    }
  }
}

int Schedule::start(RankState&) {
  next_ = 0;
  truncated_ = false;
  op_threw_ = false;
  failure_ = runtime::Failure::none;
  return MPI_SUCCESS;
}

int Schedule::finish(RankState& me, MPI_Status&) {
  me.pending_exception.take(pending_exception_);
  if (failure_ != runtime::Failure::none) [[unlikely]] {
    return error_class_of(failure_);
  }
  return op_threw_ ? MPI_ERR_OTHER : truncated_ ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
}

}  // namespace coll
}  // namespace weft::mpi_shim

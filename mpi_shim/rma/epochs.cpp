#include "mpi_shim/rma/epochs.hpp"

#include <algorithm>

namespace weft::mpi_shim::rma {

ProcessId process_of(const RankState& me, const Window& window, int member) {
  const runtime::Job& job = me.rank->job;
  return runtime::Job::process_of(job.rank(static_cast<std::uint32_t>(window.shared->group->job_rank(member))));
}

bool may_access(RankState& me, Window& window, int target) {
  switch (window.access) {
    case Access::none:
      return false;
    case Access::after_fence:
      window.access = Access::fence;
      return true;
    case Access::fence:
    case Access::locked_all:
      return true;
    case Access::locked:
      return window.target_epoch(target) != TargetEpoch::none;
    case Access::started:
      break;
  }
  if (window.target_epoch(target) == TargetEpoch::started) {
    window.exposure->wait_post(me, target);
    window.target_epoch(target) = TargetEpoch::seen_post;
  }
  return window.target_epoch(target) == TargetEpoch::seen_post;
}

void start_flush(RankState& me, Window& window, ProcessId process) {
  auto* const transfer = new Transfer(window);
  window.unflushed[number(process)] = 0;
  RmaMessage(
      {.window = window.shared->id, .kind = RmaMessageKind::flush, .origin = window.rank, .token = transfer->token()})
      .send(me.rank->job, process);
}

void flush(RankState& me, Window& window, int target) {
  const ProcessId process = process_of(me, window, target);
  if (window.unflushed[number(process)] != 0) {
    start_flush(me, window, process);
  }
  window.outstanding.wait(me, target);
}

void flush_all(RankState& me, Window& window) {
  for (std::uint32_t process = 0; process < window.unflushed.size(); ++process) {
    if (window.unflushed[process] != 0) {
      start_flush(me, window, ProcessId{process});
    }
  }
  window.outstanding.wait(me, MPI_ANY_SOURCE);
}

int check_assertion(const Entry& entry, const Window& window, int assertion, int known) {
  if ((assertion & ~known) != 0) {
    return raise(entry, window, MPI_ERR_ASSERT, "assert {} is not a sum of assertions of this call", assertion);
  }
  return MPI_SUCCESS;
}

}  // namespace weft::mpi_shim::rma

// MPI_Win_lock, MPI_Win_unlock, MPI_Win_flush and their like.
#include <algorithm>
#include <atomic>

#include "mpi_shim/request/progress.hpp"
#include "mpi_shim/rma/epochs.hpp"

namespace weft::mpi_shim::rma {

namespace {

int check_rank(const Entry& entry, const Window& window, int rank) {
  return rank >= 0 && rank < window.size()
             ? MPI_SUCCESS
             : raise(entry, window, MPI_ERR_RANK, "rank {} is not a rank of the window, which has ranks 0 to {}", rank,
                     window.size() - 1);
}

// Suspends until the lock is held.
void acquire(RankState& me, Window& window, int target, bool exclusive) {
  Exposure* const here = window.shared->local_exposure(target);
  if (here != nullptr && here->try_lock(exclusive)) {
    return;
  }
  auto* const transfer = new Transfer(window);
  const Waiter waiter{me.rank->job.process(), transfer->token(), exclusive};
  if (here == nullptr) {
    RmaMessage({.window = window.shared->id,
                .kind = RmaMessageKind::lock,
                .exclusive = exclusive,
                .target = target,
                .origin = window.rank,
                .token = waiter.token})
        .send(me.rank->job, process_of(me, window, target));
  } else if (here->lock(waiter)) {
    part_done(*transfer);
  }
  window.outstanding.wait(me, target);
}

// Releases the lock: at once if the target lives in this process, else by a message, whose reply means that all
// operations on the target are done.
void start_release(RankState& me, Window& window, int target) {
  if (Exposure* const here = window.shared->local_exposure(target); here != nullptr) {
    std::vector<Waiter> granted;
    here->unlock(granted);
    grant_all(me.rank->job, granted);
    return;
  }
  const ProcessId process = process_of(me, window, target);
  auto* const transfer = new Transfer(window);
  RmaMessage({.window = window.shared->id,
              .kind = RmaMessageKind::unlock,
              .target = target,
              .origin = window.rank,
              .token = transfer->token()})
      .send(me.rank->job, process);
}

int lock(const Entry& entry, Window& window, int type, int target, int assertion) {
  if (type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE) {
    return raise(entry, window, MPI_ERR_LOCKTYPE, "lock_type {} is neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE",
                 type);
  }
  if (target == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  int error = check_rank(entry, window, target);
  error = error == MPI_SUCCESS ? check_assertion(entry, window, assertion, MPI_MODE_NOCHECK) : error;
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (window.access == Access::locked && window.target_epoch(target) != TargetEpoch::none) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "rank {} is locked already", target);
  }
  if (window.access > Access::after_fence && window.access != Access::locked) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "another access epoch of the window is open");
  }
  const bool unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
  if (!unchecked) {
    acquire(entry.me, window, target, type == MPI_LOCK_EXCLUSIVE);
  }
  window.access = Access::locked;
  window.target_epoch(target) = unchecked ? TargetEpoch::locked_unchecked : TargetEpoch::locked;
  window.targets.push_back(target);
  return MPI_SUCCESS;
}

int unlock(const Entry& entry, Window& window, int target) {
  if (target == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  if (const int error = check_rank(entry, window, target); error != MPI_SUCCESS) {
    return error;
  }
  if (window.access != Access::locked || window.target_epoch(target) == TargetEpoch::none) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "rank {} is not locked", target);
  }
  if (window.target_epoch(target) == TargetEpoch::locked_unchecked) {
    flush(entry.me, window, target);
  } else {
    window.outstanding.wait(entry.me, target);
    start_release(entry.me, window, target);
    window.outstanding.wait(entry.me, target);
  }
  window.target_epoch(target) = TargetEpoch::none;
  window.targets.erase(std::find(window.targets.begin(), window.targets.end(), target));
  if (window.targets.empty()) {
    window.access = Access::none;
  }
  yield_sometimes(entry.me, window);
  return MPI_SUCCESS;
}

// Locks targets one by one in the order of ranks, as programs do that lock several: another order could deadlock.
int lock_all(const Entry& entry, Window& window, int assertion) {
  if (const int error = check_assertion(entry, window, assertion, MPI_MODE_NOCHECK); error != MPI_SUCCESS) {
    return error;
  }
  if (window.access > Access::after_fence) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "another access epoch of the window is open");
  }
  const bool unchecked = (assertion & MPI_MODE_NOCHECK) != 0;
  for (int target = 0; target < window.size() && !unchecked; ++target) {
    acquire(entry.me, window, target, false);
  }
  window.access = Access::locked_all;
  window.target_epoch(0) = unchecked ? TargetEpoch::locked_unchecked : TargetEpoch::locked;
  return MPI_SUCCESS;
}

int unlock_all(const Entry& entry, Window& window) {
  if (window.access != Access::locked_all) {
    return raise(entry, window, MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_lock_all is open");
  }
  flush_all(entry.me, window);
  for (int target = 0; target < window.size() && window.target_epoch(0) == TargetEpoch::locked; ++target) {
    start_release(entry.me, window, target);
  }
  window.outstanding.wait(entry.me, MPI_ANY_SOURCE);
  window.target_epoch(0) = TargetEpoch::none;
  window.access = Access::none;
  yield_sometimes(entry.me, window);
  return MPI_SUCCESS;
}

int check_passive(const Entry& entry, const Window& window) {
  return is_passive(window)
             ? MPI_SUCCESS
             : raise(entry, window, MPI_ERR_RMA_SYNC, "no epoch of MPI_Win_lock or MPI_Win_lock_all is open");
}

int flush_one(const Entry& entry, int target, MPI_Win win, bool there) {
  Window* const window = find_window(entry.me, win);
  if (window == nullptr) {
    return bad_window(entry, win);
  }
  if (target == MPI_PROC_NULL) {
    return MPI_SUCCESS;
  }
  int error = check_rank(entry, *window, target);
  error = error == MPI_SUCCESS ? check_passive(entry, *window) : error;
  if (error != MPI_SUCCESS) {
    return error;
  }
  if (window->access == Access::locked && window->target_epoch(target) == TargetEpoch::none) {
    return raise(entry, *window, MPI_ERR_RMA_SYNC, "rank {} is not locked", target);
  }
  if (there) {
    flush(entry.me, *window, target);
  } else {
    window->outstanding.wait(entry.me, target);  // the data of all other operations has been copied already
  }
  yield_sometimes(entry.me, *window);
  return MPI_SUCCESS;
}

int flush_each(const Entry& entry, MPI_Win win, bool there) {
  Window* const window = find_window(entry.me, win);
  if (window == nullptr) {
    return bad_window(entry, win);
  }
  if (const int error = check_passive(entry, *window); error != MPI_SUCCESS) {
    return error;
  }
  if (there) {
    flush_all(entry.me, *window);
  } else {
    window->outstanding.wait(entry.me, MPI_ANY_SOURCE);
  }
  yield_sometimes(entry.me, *window);
  return MPI_SUCCESS;
}

int win_sync(const Entry& entry, MPI_Win win) {
  if (find_window(entry.me, win) == nullptr) {
    return bad_window(entry, win);
  }
#if !defined(__SANITIZE_THREAD__)  // which does not support fences
  // MPI's memory barrier between the rank's own loads and stores and those of others in the window: pairs with
  // win_sync() of the other rank. Without it a program that waits for a flag in a shared window may read what lay there
  // before.
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
  make_progress(entry.me);  // a program may wait here for another rank's store
  return MPI_SUCCESS;
}

}  // namespace

}  // namespace weft::mpi_shim::rma

using namespace weft::mpi_shim;
using namespace weft::mpi_shim::rma;

#include "mpi_shim/generated/rma/passive_target.inc"

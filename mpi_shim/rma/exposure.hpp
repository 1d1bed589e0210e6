// The target side of one member's memory in a window, in the process where the member lives: its passive-target lock,
// and the posts and completions that have come to it.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <vector>

#include "mpi_shim/rma/spin_lock.hpp"
#include "mpi_shim/state/state.hpp"
#include "runtime/p2p/point_to_point.hpp"

namespace weft::mpi_shim::rma {

// A rank that waits for a lock. The token names the Transfer that the reply completes.
struct Waiter {
  ProcessId process{};
  std::uint64_t token = 0;
  bool exclusive = false;
};

// Any thread of the process may call the functions, unless they say otherwise. Packed when its rank moves: then no rank
// waits for the lock, a post or a completion.
class Exposure {
 public:
  // False, without effect, if others hold the lock or wait for it.
  bool try_lock(bool exclusive);
  // False: the waiter is queued, and a later unlock() grants it the lock. First come, first served.
  bool lock(const Waiter& waiter);
  // Releases one holder's lock, and appends the waiters that hold it now.
  void unlock(std::vector<Waiter>& granted);

  // Records that target `by` has called MPI_Win_post for this member; and that an origin has called MPI_Win_complete.
  void add_post(int by);
  void add_completion();

  // Called on the owner's fibre; wait_…() suspends it. Waiting consumes the post or the completions.
  void wait_post(RankState& me, int by);
  void wait_completions(RankState& me, std::uint32_t number);
  bool take_completions(std::uint32_t number);  // false if fewer have come

  // For dynamic windows: the memory that the owner has attached.
  bool attach(std::uintptr_t base, std::size_t bytes);  // false if it overlaps with attached memory
  bool detach(std::uintptr_t base);
  bool is_attached(std::uintptr_t base, std::size_t bytes);

  void pup(pup::Puper& p);

 private:
  bool may_lock(bool exclusive) const { return exclusive ? holders_ == 0 : !exclusive_; }
  void acquire(bool exclusive);
  void notify_owner();
  template <typename Take>
  void wait_until(RankState& me, int peer, Take&& take);

  SpinLock mutex_;  // guards what follows
  std::uint32_t holders_ = 0;
  bool exclusive_ = false;
  std::deque<Waiter> waiters_;
  std::map<int, std::uint32_t> posts_;  // by member
  std::uint32_t completions_ = 0;
  std::map<std::uintptr_t, std::size_t> attached_;
  std::vector<runtime::Request*> waiting_requests_;  // of the owner's threads; notify_owner() completes them
};

}  // namespace weft::mpi_shim::rma

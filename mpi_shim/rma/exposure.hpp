// One member's memory in a window as other ranks reach it, in the process where the member lives: its passive-target
// lock, and who has posted to it or completed.
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

// Who waits for a lock, and by which token the reply finds it: see Transfer.
struct Waiter {
  ProcessId process{};
  std::uint64_t token = 0;
  bool exclusive = false;
};

// Any thread of the process may call what does not say otherwise. Moves with its rank, while nobody waits.
class Exposure {
 public:
  // False, and nothing else, where others hold it or wait for it.
  bool try_lock(bool exclusive);
  // False: the waiter will be among those that a later unlock() gives it to. First come, first served.
  bool lock(const Waiter& waiter);
  // Ends one holder's lock; appends those who have it now.
  void unlock(std::vector<Waiter>& granted);

  // A member that is a target has posted; members that had access have completed it.
  void posted(int by);
  void completed();

  // On the owner's fibre; those that wait suspend it.
  bool has_post(int by);
  void wait_post(RankState& me, int by);  // takes it
  void wait_completions(RankState& me, std::uint32_t number);
  bool take_completions(std::uint32_t number);  // false where fewer have come

  // Of a dynamic window: what its owner has attached.
  bool attach(std::uintptr_t base, std::size_t bytes);  // false where it overlaps with what is
  bool detach(std::uintptr_t base);
  bool is_attached(std::uintptr_t base, std::size_t bytes);

  void pup(pup::Puper& p);

 private:
  bool may_lock(bool exclusive) const { return exclusive ? holders_ == 0 : !exclusive_; }
  void give(bool exclusive);
  void tell_owner();
  template <typename Take>
  void wait_until(RankState& me, int peer, Take&& take);

  SpinLock mutex_;  // guards what follows
  std::uint32_t holders_ = 0;
  bool exclusive_ = false;
  std::deque<Waiter> waiters_;
  std::map<int, std::uint32_t> posts_;  // by member
  std::uint32_t completions_ = 0;
  std::map<std::uintptr_t, std::size_t> attached_;
  std::vector<runtime::Request*> asleep_;  // of the owner's threads, until a notification comes
};

}  // namespace weft::mpi_shim::rma

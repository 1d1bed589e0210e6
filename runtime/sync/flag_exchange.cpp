#include "runtime/sync/flag_exchange.hpp"

#include <algorithm>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/sync/asymmetric_fence.hpp"
#include "runtime/sync/deferred_collective.hpp"
#include "runtime/sync/member.hpp"

namespace weft::runtime {
inline namespace sync {

FlagExchange::FlagExchange(std::uint32_t members) : members_(members) {}

void FlagExchange::post(std::uint32_t member, std::uint64_t signature) {
  MemberState& state = members_[member];
  const std::uint32_t number = ++state.number;
  Posting& posting = state.postings[number % 2];
  posting.signature = signature;
  // Pairs with complete(): page and signature are visible.
  posting.number.store(number, std::memory_order_release);
}

// The store of the posting, in post(), must precede this load. Pairs with await_all(): either the poster sees the
// sleeping member, or that one sees the posting. Where the kernel has it, the fence is the asymmetric_fence() there.
bool FlagExchange::has_sleepers() {
  if (has_asymmetric_fence()) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the load comes after the member's own posting
    return asleep_.load(std::memory_order_relaxed) != 0;
  }
  // Adds nothing, but is ordered with the addition in await_all(): if it comes first, that one acquires the posting.
  return asleep_.fetch_add(0, std::memory_order_acq_rel) != 0;
}

// Pairs with post().
bool FlagExchange::complete(std::uint32_t number) const {
  return std::ranges::all_of(members_, [&](const MemberState& state) {
    return state.postings[number % 2].number.load(std::memory_order_acquire) == number;
  });
}

// Pairs with post().
bool FlagExchange::others_have_posted(std::uint32_t member) const {
  const std::uint32_t next = members_[member].number + 1;
  return std::ranges::any_of(members_, [&](const MemberState& state) {
    return state.postings[next % 2].number.load(std::memory_order_acquire) == next;
  });
}

bool FlagExchange::all_posted(Worker& worker, std::uint32_t member) {
  const std::uint32_t number = members_[member].number;
  if (!worker.spin_until([&] { return complete(number); })) {
    return false;
  }
  if (has_sleepers()) [[unlikely]] {
    wake_sleepers(number);
  }
  return true;
}

void FlagExchange::await_all(Member& me, std::uint32_t member, Request& request) {
  const std::uint32_t number = members_[member].number;
  start_event(me, -1, {.context = kTeamContext}, request);
  // Pairs with has_sleepers().
  asleep_.fetch_add(1, std::memory_order_acq_rel);  // before the sleeper is in the list
  {
    const std::lock_guard lock(mutex_);
    sleepers_.push_back({&request, number});
  }
  asymmetric_fence();
  if (complete(number)) {
    wake_sleepers(number);
  }
}

// Wakes the members that sleep for this posting, which is complete. Others may already sleep for the next one.
void FlagExchange::wake_sleepers(std::uint32_t number) {
  std::vector<Request*> woken;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
      const bool wakes = sleeper.number == number;
      if (wakes) {
        woken.push_back(sleeper.request);
      }
      return wakes;
    });
  }
  asleep_.fetch_sub(static_cast<std::uint32_t>(woken.size()), std::memory_order_relaxed);
  for (Request* const request : woken) {
    finish_event(*request);
  }
}

}  // namespace sync
}  // namespace weft::runtime

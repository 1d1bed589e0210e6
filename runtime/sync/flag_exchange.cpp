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

FlagExchange::FlagExchange(std::uint32_t members) : sides_(members) {}

void FlagExchange::post(std::uint32_t member, std::uint64_t mark) {
  Side& side = sides_[member];
  const std::uint32_t number = ++side.number;
  Posting& posting = side.postings[number % 2];
  posting.mark = mark;
  // Pairs with complete(): page and mark are visible.
  posting.number.store(number, std::memory_order_release);
}

// Store of the posting, then load: pairs with await_all(), so that either the poster sees who sleeps or that one sees
// the posting. Pairs with asymmetric_fence() there, where the kernel has it.
bool FlagExchange::anyone_sleeps() {
  if (has_asymmetric_fence()) [[likely]] {
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the load is behind the member's own posting
    return asleep_.load(std::memory_order_relaxed) != 0;
  }
  return asleep_.fetch_add(0, std::memory_order_acq_rel) != 0;
}

// Pairs with post().
bool FlagExchange::complete(std::uint32_t number) const {
  return std::ranges::all_of(sides_, [&](const Side& side) {
    return side.postings[number % 2].number.load(std::memory_order_acquire) == number;
  });
}

// Pairs with post().
bool FlagExchange::others_came(std::uint32_t member) const {
  const std::uint32_t next = sides_[member].number + 1;
  return std::ranges::any_of(
      sides_, [&](const Side& side) { return side.postings[next % 2].number.load(std::memory_order_acquire) == next; });
}

bool FlagExchange::all_posted(Worker& worker, std::uint32_t member) {
  const std::uint32_t number = sides_[member].number;
  if (!worker.spin_until([&] { return complete(number); })) {
    return false;
  }
  if (anyone_sleeps()) [[unlikely]] {
    wake_sleepers(number);
  }
  return true;
}

void FlagExchange::await_all(Member& me, std::uint32_t member, Request& over) {
  const std::uint32_t number = sides_[member].number;
  start_event(me, -1, {.context = kTeamContext}, over);
  // Pairs with anyone_sleeps().
  asleep_.fetch_add(1, std::memory_order_acq_rel);  // never less than there are sleepers
  {
    const std::lock_guard lock(mutex_);
    sleepers_.push_back({&over, number});
  }
  asymmetric_fence();
  if (complete(number)) {
    wake_sleepers(number);
  }
}

// The posting is complete. Some who were woken early may sleep for the next one by now.
void FlagExchange::wake_sleepers(std::uint32_t number) {
  std::vector<Request*> woken;
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
      const bool wakes = sleeper.number == number;
      if (wakes) {
        woken.push_back(sleeper.over);
      }
      return wakes;
    });
  }
  asleep_.fetch_sub(static_cast<std::uint32_t>(woken.size()), std::memory_order_relaxed);
  for (Request* const over : woken) {
    finish_event(*over);
  }
}

}  // namespace sync
}  // namespace weft::runtime

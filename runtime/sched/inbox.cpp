#include "runtime/sched/inbox.hpp"

#include <cstddef>

#include "base/futex.hpp"

namespace weft::runtime {
inline namespace sched {
namespace {

// Prefetches what is read first of an item that is a message, as most are, and the beginning of its payload.
void prepare_to_read(const void* item) {
  __builtin_prefetch(item);
  __builtin_prefetch(static_cast<const std::byte*>(item) + InboxItem::kPayloadAt);
}

}  // namespace

InboxItem* Inbox::take_all() {
  InboxItem* const seen = head_.load(std::memory_order_relaxed);
  if (seen == nullptr) {
    return nullptr;
  }
  prepare_to_read(seen);  // overlaps with the exchange, which stalls what follows
  // Pairs with push().
  InboxItem* newest = head_.exchange(nullptr, std::memory_order_acquire);
  InboxItem* oldest = nullptr;
  for (std::uint32_t taken = 1; newest != nullptr; ++taken) {
    InboxItem* const older = newest->next;
    if (taken >= PrefetchHints::kDistance) {  // in a shorter list others may use the target by now
      prepare_to_read(newest->prefetch_target());
    }
    newest->next = oldest;
    oldest = newest;
    newest = older;
  }
  return oldest;
}

void Inbox::sleep(const SleepingRanks& sleepers) {
  struct Consumer {
    Inbox& inbox;
    const SleepingRanks& sleepers;

    bool arm() const { return inbox.arm(); }
    void disarm() const { inbox.disarm(); }
    bool may_wake() const { return !inbox.consumer_asleep() || inbox.was_rung() || sleepers.is_due(); }
    std::uint32_t wakeups() const { return inbox.wakeups(); }
    void wait(std::uint32_t seen) const { inbox.sleep_since(seen, sleepers.next()); }
  };
  sleeping::sleep(Consumer{*this, sleepers});
}

void Inbox::sleep_since(std::uint32_t seen, MonotonicTime until) {
  const base::FutexScope scope = doorbell_ != nullptr ? base::FutexScope::kMachine : base::FutexScope::kProcess;
  if (until == kNever) {
    base::futex_wait(word(), seen, scope);
  } else {
    base::futex_wait_until(word(), seen, until, scope);
  }
}

void Inbox::wake_sleeper() {
  base::futex_wake_one(word(), doorbell_ != nullptr ? base::FutexScope::kMachine : base::FutexScope::kProcess);
}

}  // namespace sched
}  // namespace weft::runtime

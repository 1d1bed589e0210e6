#include "runtime/worker/inbox.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>

namespace weft::runtime {

InboxItem* Inbox::take_all() {
  const InboxItem* const seen = head_.load(std::memory_order_relaxed);
  if (seen == nullptr) {
    return nullptr;
  }
  // The exchange holds up what follows; the item's lines travel meanwhile.
  __builtin_prefetch(seen);
  __builtin_prefetch(reinterpret_cast<const std::byte*>(seen) + 128);
  InboxItem* newest = head_.exchange(nullptr, std::memory_order_acquire);
  InboxItem* oldest = nullptr;
  while (newest != nullptr) {
    InboxItem* const older = newest->next;
    newest->next = oldest;
    oldest = newest;
    newest = older;
  }
  return oldest;
}

void Inbox::sleep() {
  if (!arm()) {
    return;
  }
  const bool shared = bell_ != nullptr;
  // Read anew each time: the wake-up that belongs to an earlier sleep may come as late as this one.
  for (std::uint32_t seen = word().load(std::memory_order_acquire);
       consumer_asleep() && (!shared || bell_->asleep.load(std::memory_order_acquire) != 0);
       seen = word().load(std::memory_order_acquire)) {
    sleep_since(seen);
  }
  disarm();
}

void Inbox::sleep_since(std::uint32_t seen) {
  syscall(SYS_futex, &word(), bell_ != nullptr ? FUTEX_WAIT : FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
}

void Inbox::wake() {
  word().fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &word(), bell_ != nullptr ? FUTEX_WAKE : FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace weft::runtime

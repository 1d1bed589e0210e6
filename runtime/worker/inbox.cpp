#include "runtime/worker/inbox.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace weft::runtime {

InboxItem* Inbox::take_all() {
  if (empty()) {
    return nullptr;
  }
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
  const std::uint32_t seen = wakeups_.load(std::memory_order_acquire);
  InboxItem* nothing = nullptr;
  if (!head_.compare_exchange_strong(nothing, &asleep_, std::memory_order_acq_rel, std::memory_order_acquire)) {
    return;
  }
  while (consumer_asleep()) {
    syscall(SYS_futex, &wakeups_, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
  }
}

void Inbox::wake() {
  wakeups_.fetch_add(1, std::memory_order_release);
  syscall(SYS_futex, &wakeups_, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace weft::runtime

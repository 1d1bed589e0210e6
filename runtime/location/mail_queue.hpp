// A rank's own message queue, used while the rank may change its worker. At other times messages come by its worker's
// inbox.
#pragma once

#include <atomic>

#include "runtime/sched/inbox.hpp"

namespace weft::runtime {
inline namespace location {

// Producers: any thread. Consumer: the rank's worker. Items of one producer keep their order.
class MailQueue {
 public:
  // Returns whether it was empty.
  bool push(InboxItem& item) {
    InboxItem* head = head_.load(std::memory_order_relaxed);
    do {
      item.next = head;
      // Release: pairs with take_all(), whose caller reads the item. Acquire: pairs with take_all() too; where that has
      // emptied the queue before, announce_mail() must see the location that its worker had stored by then.
    } while (!head_.compare_exchange_weak(head, &item, std::memory_order_acq_rel, std::memory_order_relaxed));
    return head == nullptr;
  }

  // Oldest first; null when there is nothing.
  InboxItem* take_all() {
    // Acquire: pairs with push(), which wrote the items. Release: pairs with the next push(), see there; therefore it
    // is an exchange even where there is nothing.
    InboxItem* newest = head_.exchange(nullptr, std::memory_order_acq_rel);
    InboxItem* oldest = nullptr;
    while (newest != nullptr) {
      InboxItem* const older = newest->next;
      newest->next = oldest;
      oldest = newest;
      newest = older;
    }
    return oldest;
  }

 private:
  std::atomic<InboxItem*> head_ = nullptr;
};

}  // namespace location
}  // namespace weft::runtime

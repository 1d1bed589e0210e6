// The inbox of a worker: a queue with many producers and one consumer, which may sleep on it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runtime/net/transport.hpp"
#include "runtime/sched/sleep_protocol.hpp"
#include "runtime/sched/sleeping_ranks.hpp"

namespace weft::runtime {
inline namespace sched {

class Worker;

// Base of all objects that workers push into each other's inboxes.
struct InboxItem {
  static constexpr std::ptrdiff_t kLine = 64;              // bytes
  static constexpr std::ptrdiff_t kPayloadAt = 3 * kLine;  // offset of a message's payload in its item, an Envelope

  InboxItem* next = nullptr;
  void (*deliver)(Worker& worker, InboxItem& item) = nullptr;  // runs on the receiving worker
  std::int32_t lines_to_target = 0;                            // set by PrefetchHints

  // The address to prefetch: that of the item which comes PrefetchHints::kDistance places later in the list. That item
  // may be gone, which does no harm. Where it is not known: this item.
  void* prefetch_target() { return reinterpret_cast<std::byte*>(this) + kLine * lines_to_target; }
};

// A producer of a list adds its items here. A consumer that walks the list, newest first, can then prefetch an item
// some places ahead, instead of waiting for each item to know the address of the next. Items begin cache lines.
class PrefetchHints {
 public:
  static constexpr std::uint32_t kDistance = 4;  // items

  void add(InboxItem& item) {
    InboxItem*& oldest = last_[added_++ % kDistance];
    const std::ptrdiff_t lines =
        (reinterpret_cast<std::intptr_t>(oldest) - reinterpret_cast<std::intptr_t>(&item)) / InboxItem::kLine;
    const auto kept = static_cast<std::int32_t>(lines);
    item.lines_to_target = oldest != nullptr && kept == lines ? kept : 0;
    oldest = &item;
  }

 private:
  std::array<InboxItem*, kDistance> last_{};
  std::uint32_t added_ = 0;
};

// An item that belongs to an object: static_cast from the InboxItem, then `owner`.
template <typename T>
struct OwnedItem : InboxItem {
  T* owner = nullptr;
};

// Producers: any thread. Consumer: the owning worker. Items of one producer keep their order, and so do items of
// several producers whose pushes are ordered by happens-before.
class Inbox {
 public:
  // Appends the item, and wakes the consumer if it sleeps. Pairs with take_all(): the consumer sees a complete item.
  void push(InboxItem& item) { sleeping::push(*this, item); }

  bool empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }

  // Consumer: everything pushed so far, oldest first; null when there is nothing.
  InboxItem* take_all();

  // Consumer: sleeps until something is pushed or somebody rings the doorbell, if there is one, but not beyond next()
  // of `sleepers`. REQUIRES: the doorbell's `asleep` has been set, and nothing was there to poll after that.
  void sleep(const SleepingRanks& sleepers);
  // Consumer, before the first push: makes it sleep on this doorbell, which other processes may ring.
  void set_doorbell(net::Doorbell& doorbell) { doorbell_ = &doorbell; }
  net::Doorbell* doorbell() const { return doorbell_; }
  // Pairs with arm(): a thread that finds the consumer asleep sees what it did before.
  bool consumer_asleep() const { return head_.load(std::memory_order_acquire) == &asleep_; }

  // Whether somebody has rung since the sleep was announced. Pairs with net::ring(): the bytes written before that are
  // visible.
  bool was_rung() const { return doorbell_ != nullptr && doorbell_->asleep.load(std::memory_order_acquire) == 0; }
  // Any thread: makes the sleeper check again whether it may go on.
  void wake() { sleeping::wake(*this); }

  // The rest are the operations that sleep_protocol.hpp and lock_protocol.hpp call; see there. For the sleeper: pairs
  // with push() and consumer_asleep().
  bool arm() {
    InboxItem* nothing = nullptr;
    return head_.compare_exchange_strong(nothing, &asleep_, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  // Pairs with push() and consumer_asleep().
  void disarm() {
    InboxItem* still = &asleep_;
    head_.compare_exchange_strong(still, nullptr, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  // For the sleeper. Pairs with count_wakeup(): what the waking thread did before that is visible.
  std::uint32_t wakeups() { return word().load(std::memory_order_acquire); }
  // Sleeps while wakeups() is `seen`, but not beyond `until`.
  void sleep_since(std::uint32_t seen, MonotonicTime until);
  // For a producer: appends the item; returns whether the inbox was armed. Release: pairs with take_all(), which gets
  // the item.
  bool append(InboxItem& item) {
    InboxItem* head = nullptr;  // a guess: a read would fetch the cache line first for reading and then for writing
    do {
      item.next = head == &asleep_ ? nullptr : head;
    } while (!head_.compare_exchange_weak(head, &item, std::memory_order_release, std::memory_order_relaxed));
    return head == &asleep_;
  }
  // Release: pairs with wakeups(): a sleeper that reads the new count sees what it is woken for.
  void count_wakeup() { word().fetch_add(1, std::memory_order_release); }
  void wake_sleeper();

 private:
  std::atomic<std::uint32_t>& word() { return doorbell_ == nullptr ? wakeups_ : doorbell_->word; }

  alignas(64) std::atomic<InboxItem*> head_ = nullptr;
  std::atomic<std::uint32_t> wakeups_ = 0;  // futex word
  net::Doorbell* doorbell_ = nullptr;
  InboxItem asleep_;  // head_ points here while the consumer sleeps
};

}  // namespace sched
}  // namespace weft::runtime

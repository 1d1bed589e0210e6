// Many-to-one queue of a worker; the consumer may sleep on it.
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

// Embedded in whatever travels between workers.
struct InboxItem {
  static constexpr std::ptrdiff_t kLine = 64;              // bytes
  static constexpr std::ptrdiff_t kPayloadAt = 3 * kLine;  // of an item that is a message (Envelope), from its begin

  InboxItem* next = nullptr;
  void (*deliver)(Worker& worker, InboxItem& item) = nullptr;  // runs on the receiving worker
  std::int32_t lines_to_further = 0;                           // PrefetchHints's own

  // Where an item lies, or lay, that comes some places further on in the list; this one, where nobody knows.
  void* further() { return reinterpret_cast<std::byte*>(this) + kLine * lines_to_further; }
};

// Who puts items into a list notes them here: who walks the list, newest first, then fetches several at a time instead
// of waiting for each to learn where the next one lies. Items begin cache lines.
class PrefetchHints {
 public:
  static constexpr std::uint32_t kFurther = 4;  // items

  void add(InboxItem& item) {
    InboxItem*& oldest = last_[added_++ % kFurther];
    const std::ptrdiff_t lines =
        (reinterpret_cast<std::intptr_t>(oldest) - reinterpret_cast<std::intptr_t>(&item)) / InboxItem::kLine;
    const auto kept = static_cast<std::int32_t>(lines);
    item.lines_to_further = oldest != nullptr && kept == lines ? kept : 0;
    oldest = &item;
  }

 private:
  std::array<InboxItem*, kFurther> last_{};
  std::uint32_t added_ = 0;
};

// An item that belongs to an object: static_cast from the InboxItem, then `owner`.
template <typename T>
struct OwnedItem : InboxItem {
  T* owner = nullptr;
};

// Producers: any thread. Consumer: the owning worker. Items of one producer keep their order, and so do items of
// producers that are ordered by happens-before.
class Inbox {
 public:
  // Appends; wakes the consumer when it sleeps. Pairs with take_all(): the consumer sees the item whole.
  void push(InboxItem& item) { sleeping::push(*this, item); }

  bool empty() const { return head_.load(std::memory_order_relaxed) == nullptr; }

  // Consumer: everything pushed so far, oldest first; null when there is nothing.
  InboxItem* take_all();

  // Consumer: sleeps until something is pushed or, where a bell is given, somebody rings it, and not beyond next() of
  // its sleepers. The bell's `asleep` is set by then, and nothing has come since.
  void sleep(const SleepingRanks& sleepers);
  // Consumer, before the first push: it sleeps on this bell, which other processes may ring.
  void use(net::Bell& bell) { bell_ = &bell; }
  net::Bell* bell() const { return bell_; }
  // Pairs with arm(): who finds the consumer asleep sees what it did before.
  bool consumer_asleep() const { return head_.load(std::memory_order_acquire) == &asleep_; }

  // Whether somebody has rung since the sleep was announced. Pairs with net::ring(): what was put down is visible.
  bool was_rung() const { return bell_ != nullptr && bell_->asleep.load(std::memory_order_acquire) == 0; }
  // Any thread: the sleeper looks again whether it may go on.
  void wake() { sleeping::wake(*this); }

  // The rest is what the functions of sleep_protocol.hpp and lock_protocol.hpp are made of. The sleeper's: pairs with
  // push() and consumer_asleep().
  bool arm() {
    InboxItem* nothing = nullptr;
    return head_.compare_exchange_strong(nothing, &asleep_, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  // Pairs with push() and consumer_asleep().
  void disarm() {
    InboxItem* still = &asleep_;
    head_.compare_exchange_strong(still, nullptr, std::memory_order_acq_rel, std::memory_order_acquire);
  }
  // Pairs with count_wakeup(): what was done before that is visible.
  std::uint32_t wakeups() { return word().load(std::memory_order_acquire); }
  // Sleeps while wakeups() are those seen, but not beyond that time.
  void sleep_since(std::uint32_t seen, MonotonicTime until);
  // Of who wakes it. Whether the inbox was armed. Release: pairs with take_all(), which gets the item.
  bool append(InboxItem& item) {
    InboxItem* head = nullptr;  // a guess: reading it first would fetch the line twice, to read and to write
    do {
      item.next = head == &asleep_ ? nullptr : head;
    } while (!head_.compare_exchange_weak(head, &item, std::memory_order_release, std::memory_order_relaxed));
    return head == &asleep_;
  }
  // Release: pairs with wakeups(): who has read the new count sees what it is woken for.
  void count_wakeup() { word().fetch_add(1, std::memory_order_release); }
  void wake_sleeper();

 private:
  std::atomic<std::uint32_t>& word() { return bell_ == nullptr ? wakeups_ : bell_->word; }

  alignas(64) std::atomic<InboxItem*> head_ = nullptr;
  std::atomic<std::uint32_t> wakeups_ = 0;  // futex word
  net::Bell* bell_ = nullptr;
  InboxItem asleep_;  // head_ points here while the consumer sleeps
};

}  // namespace sched
}  // namespace weft::runtime

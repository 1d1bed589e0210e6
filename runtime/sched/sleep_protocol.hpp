// How a worker goes to sleep without missing what comes for it. Only the protocol: Inbox, WorkerSleep and
// lock_protocol.hpp call these functions with real atomics and futexes, and tests/runtime/sched/sleep_protocol_test.cpp
// explores the same ones over all interleavings of a small model.
//
// A worker is woken by an item in its inbox, from a thread of this process; where it has a doorbell, by bytes from
// another process, whose sender checks the doorbell (net::ring) after it has written them; and by a signal handler that
// ends the sleep of a rank.
#pragma once

namespace weft::runtime {
inline namespace sched {
namespace sleeping {

// `Operations` of the thread that wakes the consumer:
//   bool append(item);        to the inbox, in one exchange; whether the inbox was armed, which it is no longer
//   void count_wakeup();      adds one to the word that the consumer sleeps on
//   void wake_sleeper();      futex wake
// of the consumer:
//   bool arm();               arms an empty inbox: the next append() then returns true; false if it is not empty
//   void disarm();            takes that back, unless something has been appended
//   void announce_sleep();    the doorbell's `asleep`: a sequentially consistent exchange, which pairs with net::ring()
//   void stay_awake();        takes that back
//   bool nothing_to_poll();   no bytes from other processes wait
//   bool may_wake();          the inbox is no longer armed, somebody has rung, or a rank's sleep is over
//   wakeups();                value of the word
//   void wait(seen);          futex wait: until woken; not at all if the word is no longer `seen`

// The word changes before the futex wake: a consumer that has read it and does not sleep yet will not fall asleep.
// Not inlined: push() is inlined in many places, and seldom calls it.
template <typename Operations>
[[gnu::noinline]] void wake(Operations&& op) {
  op.count_wakeup();
  op.wake_sleeper();
}

// Any thread: appends, and wakes the consumer if it sleeps or is about to.
template <typename Operations, typename Item>
void push(Operations&& op, Item& item) {
  if (op.append(item)) [[unlikely]] {
    wake(op);
  }
}

// Consumer, with its inbox armed: sleeps until it may go on. The word is read before each check for what may have come:
// the wake-up that belongs to an earlier sleep may come as late as in this one.
template <typename Operations, typename MayGoOn>
void wait_until(Operations&& op, MayGoOn&& may_go_on) {
  for (auto seen = op.wakeups(); !may_go_on(); seen = op.wakeups()) {
    op.wait(seen);
  }
}

// Consumer: sleeps until something is pushed, somebody rings, or a rank is due. Returns at once if something has come
// already.
template <typename Operations>
void sleep(Operations&& op) {
  if (op.arm()) {
    wait_until(op, [&] { return op.may_wake(); });
    op.disarm();
  }
}

// Consumer: whether no other process has something for it, so that it may sleep. If so the sleep is announced at the
// doorbell, and the caller calls stay_awake() once it is over. The announcement comes before the poll: a process that
// writes bytes after the poll sees it.
template <typename Operations>
bool announce_if_idle(Operations&& op) {
  op.announce_sleep();
  if (op.nothing_to_poll()) {
    return true;
  }
  op.stay_awake();
  return false;
}

}  // namespace sleeping
}  // namespace sched
}  // namespace weft::runtime

// How a worker goes to sleep without missing what comes for it. Only the protocol: Inbox, WorkerSleep and
// lock_protocol.hpp call these functions with real atomics and futexes, and tests/runtime/sched/sleep_protocol_test.cpp
// explores the same ones over all interleavings of a small model.
//
// What can come: an item in the worker's inbox, from a thread of this process; where the worker has a bell, bytes from
// another process, whose sender looks at the bell (net::ring) after it has put them down; and a signal handler that
// ends the sleep of a rank.
#pragma once

namespace weft::runtime {
inline namespace sched {
namespace sleeping {

// `Operations` of who wakes:
//   bool append(item);        to the inbox, in one exchange; whether the inbox was armed, which it is no longer
//   void count_wakeup();      adds one to the word that the consumer sleeps on
//   void wake_sleeper();      futex wake
// of the consumer:
//   bool arm();               marks the empty inbox: the next append() says so; false when something is there
//   void disarm();            takes that back, unless somebody has appended
//   void announce_sleep();    the bell's `asleep`: a sequentially consistent exchange, which pairs with net::ring()
//   void stay_awake();        takes that back
//   bool nothing_to_poll();   no bytes of other processes wait
//   bool may_wake();          the inbox is not armed any more, somebody has rung, or a rank's sleep is over
//   wakeups();                the word
//   void wait(seen);          futex wait: until woken, or not at all where the word is not `seen` any more

// The word changes before anybody is woken: a consumer that has read it and does not sleep yet does not fall asleep.
// Not inlined: push() is, in many places, and seldom calls it.
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

// Consumer, with its inbox armed: sleeps until it may go on. The word is read before the look at what may have come,
// and anew each time: the wake-up that belongs to an earlier sleep may come as late as this one.
template <typename Operations, typename MayGoOn>
void wait_until(Operations&& op, MayGoOn&& may_go_on) {
  for (auto seen = op.wakeups(); !may_go_on(); seen = op.wakeups()) {
    op.wait(seen);
  }
}

// Consumer: sleeps until something is pushed, somebody rings, or a rank is due. Returns at once where something has
// come already.
template <typename Operations>
void sleep(Operations&& op) {
  if (op.arm()) {
    wait_until(op, [&] { return op.may_wake(); });
    op.disarm();
  }
}

// Consumer: whether it may sleep as far as other processes are concerned; then the sleep is announced, and who calls
// this calls stay_awake() once it is over. The bell comes first: whoever puts bytes down after the look sees it.
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

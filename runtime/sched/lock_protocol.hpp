// How threads take turns at one worker, and how one of them sleeps for the worker while none holds its lock. Only the
// protocol: WorkerLock calls these functions with its mutex, its queue and the worker's inbox;
// tests/runtime/sched/lock_protocol_test.cpp explores the same ones over all interleavings of a small model.
//
// The worker's mutex guards who has the lock, who waits and who stands by; it is held for a few instructions and never
// while a thread sleeps. The worker's lock itself is held for a whole call, or for as long as a thread runs ranks. It
// goes to the threads that wait, first come first served; else it is free. While it is free one thread of the worker
// stands by: it sleeps as in sleep_protocol.hpp, and takes the lock when something comes to the inbox or a doorbell
// rings.
#pragma once

#include <cstdint>

#include "runtime/sched/sleep_protocol.hpp"

namespace weft::runtime {
inline namespace sched {
namespace locking {

// `Operations` of the thread that calls, besides those of sleep_protocol.hpp (all but append() and may_wake()):
//   guarded(act)                        act() with the mutex held; returns what that does
// with the mutex held:
//   bool is_taken(); void set_taken(bool);   somebody has the lock
//   bool has_waiting(); void enqueue(turn);
//   void grant_next();                  the lock goes to the first that waits
//   bool has_standby(); bool is_standby(thread);
//   void set_standby(thread); void clear_standby();
//   void grant_standby();               the lock goes to the thread that stands by
//   void add_spare(thread);             a thread of the worker with nothing to do, besides the one that stands by
//   bool grant_spare();                 the lock goes to such a thread; false where there is none
//   bool start_thread();                the lock goes to a new thread; false where the worker needs none
//   bool is_ending(); void set_ending();
//   void count_asleep(); void count_awake();   for deadlock detection; the latter does nothing if no sleep is counted
//   bool is_armed(); bool was_rung(); bool is_due();   what may_wake() looks at
// without it:
//   void wait_for_turn(turn);           until the lock is granted to it
//   bool take_grant(turn);              whether the lock has been granted to it: true once for each grant

// With the mutex, by the holder: passes the lock to the next thread that waits; else to a thread of the worker, if
// there is something to do or none stands by; else frees it. `work`: there is something that only a thread of the
// worker can do.
template <typename Operations>
void pass_on(Operations&& op, bool work) {
  if (op.has_waiting()) {
    op.grant_next();
  } else if (op.has_standby()) {
    if (!work && !op.is_ending() && op.arm()) {
      op.set_taken(false);
      return;
    }
    op.stay_awake();
    op.grant_standby();
    sleeping::wake(op);
  } else if (!op.grant_spare() && !op.start_thread()) {
    op.set_taken(false);
  }
}

// With the mutex: takes the lock, which nobody has.
template <typename Operations>
void take_free_lock(Operations&& op) {
  op.set_taken(true);
  op.disarm();
  op.count_awake();
}

// Any thread: returns with the lock.
template <typename Operations, typename Turn>
void acquire(Operations&& op, Turn& turn) {
  const bool is_free = op.guarded([&] {
    if (!op.is_taken()) {
      take_free_lock(op);
      return true;
    }
    op.enqueue(turn);
    return false;
  });
  if (!is_free) {
    op.wait_for_turn(turn);
  }
}

// The holder: has `turn` wait for the lock, too.
template <typename Operations, typename Turn>
void enqueue(Operations&& op, Turn& turn) {
  op.guarded([&] { op.enqueue(turn); });
}

// The holder: gives the lock up.
template <typename Operations>
void release(Operations&& op, bool work) {
  op.guarded([&] { pass_on(op, work); });
}

// The holder: if a thread waits, passes the lock to it and waits for its own turn.
template <typename Operations, typename Turn>
void yield(Operations&& op, Turn& turn) {
  const bool is_passed_on = op.guarded([&] {
    if (!op.has_waiting()) {
      return false;
    }
    op.enqueue(turn);
    pass_on(op, false);
    return true;
  });
  if (is_passed_on) {
    op.wait_for_turn(turn);
  }
}

// The holder, a thread of the worker, ends and does not want the lock again. The next one that gets it does the same.
template <typename Operations>
void retire(Operations&& op) {
  op.guarded([&] {
    op.set_ending();
    pass_on(op, true);
  });
}

// With the mutex: makes the holder a spare thread, if another thread stands by already; whether that was so.
template <typename Operations, typename Thread>
bool become_spare(Operations&& op, Thread& me) {
  if (!op.has_standby()) {
    return false;
  }
  op.add_spare(me);
  pass_on(op, false);
  return true;
}

// With the mutex: makes the holder stand by. False when something has come: then it still has the lock.
template <typename Operations, typename Thread>
bool begin_standby(Operations&& op, Thread& me, bool is_idle) {
  if (op.has_waiting()) {
    op.set_standby(me);
    pass_on(op, false);
    return true;
  }
  if (!op.arm()) {
    return false;
  }
  op.set_standby(me);
  op.set_taken(false);
  if (is_idle) {
    op.count_asleep();
  }
  return true;
}

enum class Woken : std::uint8_t { not_yet, has_lock, waits_for_turn };

// With the mutex: whether a thread that stands by gets the lock. Called when it is woken, and before it sleeps.
template <typename Operations, typename Thread>
Woken end_standby(Operations&& op, Thread& me) {
  if (!op.is_standby(me)) {
    return Woken::not_yet;  // it is being granted the lock: the word that it sleeps on has changed, or will
  }
  if (!op.was_rung() && !op.is_due() && (op.is_taken() || op.is_armed())) {
    return Woken::not_yet;  // if taken, the holder finds what has come to the inbox before it frees the lock
  }
  op.stay_awake();
  op.clear_standby();
  if (!op.is_taken()) {
    take_free_lock(op);
    return Woken::has_lock;
  }
  op.enqueue(me.turn);
  return Woken::waits_for_turn;
}

// A thread that stands by: returns with the lock.
template <typename Operations, typename Thread>
void wait_until_needed(Operations&& op, Thread& me) {
  Woken woken = Woken::not_yet;
  sleeping::wait_until(op, [&] {
    if (op.take_grant(me.turn)) {
      return true;
    }
    woken = op.guarded([&] { return end_standby(op, me); });
    return woken != Woken::not_yet;
  });
  if (woken == Woken::waits_for_turn) {
    op.wait_for_turn(me.turn);
  }
}

// The holder, a thread of the worker with nothing to do: returns with the lock when there may be something. `is_idle`:
// nobody else could find something to do.
//
// The sleep stays announced at the doorbell as long as any thread stands by. It is taken back with the mutex held, in
// pass_on() or end_standby(), not at the return from here: by then another thread may stand by and rely on it.
template <typename Operations, typename Thread>
void stand_by(Operations&& op, Thread& me, bool is_idle) {
  if (op.guarded([&] { return become_spare(op, me); })) {
    op.wait_for_turn(me.turn);
  } else if (sleeping::announce_if_idle(op)) {
    if (op.guarded([&] { return begin_standby(op, me, is_idle); })) {
      wait_until_needed(op, me);
    } else {
      op.stay_awake();
    }
  }
}

}  // namespace locking
}  // namespace sched
}  // namespace weft::runtime

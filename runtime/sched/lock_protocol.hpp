// How threads take turns at one worker, and how one of them sleeps for the worker while none holds its lock. Only the
// protocol: WorkerLock calls these functions with its mutex, its queue and the worker's inbox;
// tests/runtime/sched/lock_protocol_test.cpp explores the same ones over all interleavings of a small model.
//
// The worker's mutex guards who has the lock, who waits and who rests; it is held for a few instructions and never
// while a thread sleeps. The worker's lock itself is held for a whole call, or for as long as a thread runs ranks. It
// goes to whoever waits, first come first served; else it is free. While it is free one thread of the worker rests: it
// sleeps as sleep_protocol.hpp says, and takes the lock when something comes to the inbox or a bell rings.
#pragma once

#include <cstdint>

#include "runtime/sched/sleep_protocol.hpp"

namespace weft::runtime {
inline namespace sched {
namespace turns {

// `Operations` of the thread that calls, besides those of sleep_protocol.hpp (all but append() and may_wake()):
//   guarded(act)                        act() with the mutex held; returns what that does
// with the mutex held:
//   bool is_taken(); void set_taken(bool);   somebody has the lock
//   bool has_waiting(); void enqueue(turn);
//   void grant_next();                  the lock goes to the first that waits
//   bool has_resting(); bool is_resting(thread);
//   void set_resting(thread); void clear_resting();
//   void grant_resting();               the lock goes to the thread that rests
//   void add_spare(thread);             a thread of the worker with nothing to do, besides the one that rests
//   bool grant_spare();                 the lock goes to such a thread; false where there is none
//   bool start_thread();                the lock goes to a further thread; false where the worker needs none
//   bool is_ending(); void set_ending();
//   void count_asleep(); void count_awake();   for deadlock detection; the latter does nothing where nobody is counted
//   bool is_armed(); bool was_rung(); bool is_due();   what may_wake() looks at
// without it:
//   void wait_for_turn(turn);           until the lock is granted to it
//   bool take_grant(turn);              it has been granted

// With the mutex, by the holder: to the next that waits; else to a thread of the worker if there is something to do or
// if none rests; else nobody has the lock. `work`: there is something that only a thread of the worker can do.
template <typename Operations>
void release(Operations&& op, bool work) {
  if (op.has_waiting()) {
    op.grant_next();
  } else if (op.has_resting()) {
    if (!work && !op.is_ending() && op.arm()) {
      op.set_taken(false);
      return;
    }
    op.stay_awake();
    op.grant_resting();
    sleeping::wake(op);
  } else if (!op.grant_spare() && !op.start_thread()) {
    op.set_taken(false);
  }
}

// With the mutex: nobody had the lock.
template <typename Operations>
void acquire(Operations&& op) {
  op.set_taken(true);
  op.disarm();
  op.count_awake();
}

// Any thread: returns with the lock.
template <typename Operations, typename Turn>
void take(Operations&& op, Turn& turn) {
  const bool is_free = op.guarded([&] {
    if (!op.is_taken()) {
      acquire(op);
      return true;
    }
    op.enqueue(turn);
    return false;
  });
  if (!is_free) {
    op.wait_for_turn(turn);
  }
}

// The holder: the turn gets the lock when it is the first that waits.
template <typename Operations, typename Turn>
void enqueue(Operations&& op, Turn& turn) {
  op.guarded([&] { op.enqueue(turn); });
}

// The holder: gives the lock up.
template <typename Operations>
void leave(Operations&& op, bool work) {
  op.guarded([&] { release(op, work); });
}

// The holder: gives the lock up to who waits, if anybody does, and comes back in its turn.
template <typename Operations, typename Turn>
void pass(Operations&& op, Turn& turn) {
  const bool is_passed = op.guarded([&] {
    if (!op.has_waiting()) {
      return false;
    }
    op.enqueue(turn);
    release(op, false);
    return true;
  });
  if (is_passed) {
    op.wait_for_turn(turn);
  }
}

// The holder, a thread of the worker, comes no more. The next one that gets the lock will do the same.
template <typename Operations>
void retire(Operations&& op) {
  op.guarded([&] {
    op.set_ending();
    release(op, true);
  });
}

// With the mutex: whether the holder waits for its turn because another thread rests already.
template <typename Operations, typename Thread>
bool become_spare(Operations&& op, Thread& me) {
  if (!op.has_resting()) {
    return false;
  }
  op.add_spare(me);
  release(op, false);
  return true;
}

// With the mutex: whether the holder rests. False when something has come: it has the lock still.
template <typename Operations, typename Thread>
bool begin_rest(Operations&& op, Thread& me, bool is_idle) {
  if (op.has_waiting()) {
    op.set_resting(me);
    release(op, false);
    return true;
  }
  if (!op.arm()) {
    return false;
  }
  op.set_resting(me);
  op.set_taken(false);
  if (is_idle) {
    op.count_asleep();
  }
  return true;
}

enum class Woken : std::uint8_t { not_yet, has_lock, waits_for_turn };

// With the mutex: what a thread that rests does when it is woken, or before it sleeps.
template <typename Operations, typename Thread>
Woken end_rest(Operations&& op, Thread& me) {
  if (!op.is_resting(me)) {
    return Woken::not_yet;  // it is being granted the lock: the word has changed since, or will
  }
  if (!op.was_rung() && !op.is_due() && (op.is_taken() || op.is_armed())) {
    return Woken::not_yet;  // if taken, the holder finds what has come to the inbox before it makes the lock free
  }
  op.stay_awake();
  op.clear_resting();
  if (!op.is_taken()) {
    acquire(op);
    return Woken::has_lock;
  }
  op.enqueue(me.turn);
  return Woken::waits_for_turn;
}

// A thread that rests: returns with the lock.
template <typename Operations, typename Thread>
void wait_until_needed(Operations&& op, Thread& me) {
  Woken woken = Woken::not_yet;
  sleeping::wait_until(op, [&] {
    if (op.take_grant(me.turn)) {
      return true;
    }
    woken = op.guarded([&] { return end_rest(op, me); });
    return woken != Woken::not_yet;
  });
  if (woken == Woken::waits_for_turn) {
    op.wait_for_turn(me.turn);
  }
}

// The holder, a thread of the worker with nothing to do: returns with the lock when there may be something. `is_idle`:
// nobody else could find something to do.
//
// The bell is announced as long as any thread rests. Who ends a rest takes it back with the mutex held, in release() or
// end_rest(), and not on its return from here: by then another thread may rest and rely on it.
template <typename Operations, typename Thread>
void rest(Operations&& op, Thread& me, bool is_idle) {
  if (op.guarded([&] { return become_spare(op, me); })) {
    op.wait_for_turn(me.turn);
  } else if (sleeping::announce_if_idle(op)) {
    if (op.guarded([&] { return begin_rest(op, me, is_idle); })) {
      wait_until_needed(op, me);
    } else {
      op.stay_awake();
    }
  }
}

}  // namespace turns
}  // namespace sched
}  // namespace weft::runtime

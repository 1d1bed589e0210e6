// How a worker sleeps while it has nothing to run, and what wakes it.
#pragma once

#include "runtime/net/bell.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/sleeping_ranks.hpp"
#include "runtime/sched/worker_hooks.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {
inline namespace sched {

// Items in the inbox, the bell, and ranks that sleep until some time. announce_sleep(), nothing_to_poll() and
// stay_awake() are what the functions of sleep_protocol.hpp and lock_protocol.hpp are made of: without a bell no other
// process can have anything for the worker, and there is nothing to announce.
class WorkerSleep {
 public:
  WorkerSleep(const BoundHooks& hooks, WorkerMeter& meter) : hooks_(hooks), meter_(meter) {}

  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  SleepingRanks& ranks() { return ranks_; }
  const SleepingRanks& ranks() const { return ranks_; }

  // On the worker's thread: sleeps until something has come, or until a rank is due. Returns at once where something
  // has.
  void sleep();
  // Any thread, also in a signal handler: the ranks that sleep look whether they were interrupted.
  void interrupt();

  // Whoever sleeps for the worker: it does from now on, and does no longer. `waits_for_others`: not for a time.
  void begin(bool waits_for_others);
  void end(bool waits_for_others);

  void announce_sleep() const {
    if (net::Bell* const bell = inbox_.bell(); bell != nullptr) {
      net::announce_sleep(*bell);
    }
  }
  bool nothing_to_poll() const { return hooks_.may_sleep(); }
  void stay_awake() const {
    if (net::Bell* const bell = inbox_.bell(); bell != nullptr) {
      net::stay_awake(*bell);
    }
  }

 private:
  Inbox inbox_;
  SleepingRanks ranks_;
  const BoundHooks& hooks_;
  WorkerMeter& meter_;
};

}  // namespace sched
}  // namespace weft::runtime

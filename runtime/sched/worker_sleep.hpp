// The sleep of a worker that has nothing to run, and all that wakes it.
#pragma once

#include "runtime/net/doorbell.hpp"
#include "runtime/sched/inbox.hpp"
#include "runtime/sched/sleeping_ranks.hpp"
#include "runtime/sched/worker_hooks.hpp"
#include "runtime/sched/worker_meter.hpp"

namespace weft::runtime {
inline namespace sched {

// Wakes for items in the inbox, for the doorbell, and when a sleeping rank is due. announce_sleep(), nothing_to_poll()
// and stay_awake() are operations that sleep_protocol.hpp and lock_protocol.hpp call. Without a doorbell no other
// process can have anything for the worker, and there is nothing to announce.
class WorkerSleep {
 public:
  WorkerSleep(const BoundHooks& hooks, WorkerMeter& meter) : hooks_(hooks), meter_(meter) {}

  Inbox& inbox() { return inbox_; }
  const Inbox& inbox() const { return inbox_; }
  SleepingRanks& ranks() { return ranks_; }
  const SleepingRanks& ranks() const { return ranks_; }

  // On the worker's thread: sleeps until something has come, or until a rank is due. Returns at once if something has
  // come already.
  void sleep();
  // Any thread, also in a signal handler: has the sleeping ranks checked for interrupted ones.
  void interrupt();

  // On the thread that sleeps for the worker: the sleep begins; it is over. `waits_for_others`: until others wake it,
  // not until a given time.
  void begin(bool waits_for_others);
  void end(bool waits_for_others);

  void announce_sleep() const {
    if (net::Doorbell* const doorbell = inbox_.doorbell(); doorbell != nullptr) {
      net::announce_sleep(*doorbell);
    }
  }
  bool nothing_to_poll() const { return hooks_.may_sleep(); }
  void stay_awake() const {
    if (net::Doorbell* const doorbell = inbox_.doorbell(); doorbell != nullptr) {
      net::stay_awake(*doorbell);
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

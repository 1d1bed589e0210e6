// How a worker tells other processes that it sleeps: a part of the `Operations` of sleep_protocol.hpp.
#pragma once

#include "runtime/net/bell.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace sched {

// Without a bell no other process can have anything for the worker, and there is nothing to announce.
struct SleepAnnouncer {
  Worker& worker;

  void announce_sleep() const {
    if (net::Bell* const bell = worker.inbox().bell(); bell != nullptr) {
      net::announce_sleep(*bell);
    }
  }
  bool nothing_to_poll() const { return worker.may_sleep(); }
  void stay_awake() const {
    if (net::Bell* const bell = worker.inbox().bell(); bell != nullptr) {
      net::stay_awake(*bell);
    }
  }
};

}  // namespace sched
}  // namespace weft::runtime

#include "runtime/sched/worker_sleep.hpp"

#include "runtime/meter/ticks.hpp"
#include "runtime/sched/sleep_protocol.hpp"

namespace weft::runtime {
inline namespace sched {

void WorkerSleep::sleep() {
  if (sleeping::announce_if_idle(*this)) {
    const bool waits_for_others = !ranks_.any();  // else it wakes by itself, and there is no deadlock
    begin(waits_for_others);
    inbox_.sleep(ranks_);
    end(waits_for_others);
    stay_awake();
  }
}

void WorkerSleep::interrupt() {
  ranks_.interrupt();
  inbox_.wake();
}

void WorkerSleep::begin(bool waits_for_others) {
  if (waits_for_others) {
    hooks_.asleep();
  }
  meter_.sleeps(ticks());
}

void WorkerSleep::end(bool waits_for_others) {
  meter_.wakes(ticks());
  if (waits_for_others) {
    hooks_.awake();
  }
}

}  // namespace sched
}  // namespace weft::runtime

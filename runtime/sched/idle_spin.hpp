// Decides how long a worker with nothing to do polls before it sleeps.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace sched {

// Ticks. Owned by its worker's thread.
class IdleSpin {
 public:
  // `shortest`: how long it polls in general. `longest`: how long it polls after a sleep that was shorter than this,
  // while nobody else wants the core. That may save another such sleep.
  IdleSpin(std::uint64_t shortest, std::uint64_t longest) : shortest_(shortest), longest_(longest) {}

  bool has_own_core() const { return shortest_ != 0; }
  std::uint64_t shortest() const { return shortest_; }
  std::uint64_t limit(bool undisturbed) const { return last_sleep_was_short_ && undisturbed ? longest_ : shortest_; }
  // Notes that the worker has slept until something came; `ticks`: that and the polling before it.
  void slept(std::uint64_t ticks) { last_sleep_was_short_ = ticks < longest_; }

 private:
  const std::uint64_t shortest_;  // 0: the worker shares its core
  const std::uint64_t longest_;
  bool last_sleep_was_short_ = false;
};

}  // namespace sched
}  // namespace weft::runtime

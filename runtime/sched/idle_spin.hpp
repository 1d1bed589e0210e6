// How long a worker with nothing to do polls before it sleeps.
#pragma once

#include <cstdint>

namespace weft::runtime {
inline namespace sched {

// Ticks. Owned by its worker's thread.
class IdleSpin {
 public:
  // `longest`: after a sleep that was shorter than that, as long as nobody else wants the core; then another such sleep
  // is spared.
  IdleSpin(std::uint64_t shortest, std::uint64_t longest) : shortest_(shortest), longest_(longest) {}

  bool has_own_core() const { return shortest_ != 0; }
  std::uint64_t shortest() const { return shortest_; }
  std::uint64_t limit(bool undisturbed) const { return slept_shortly_ && undisturbed ? longest_ : shortest_; }
  // It has slept until something came, with the polling before it.
  void slept(std::uint64_t ticks) { slept_shortly_ = ticks < longest_; }

 private:
  const std::uint64_t shortest_;  // 0: it shares its core
  const std::uint64_t longest_;
  bool slept_shortly_ = false;
};

}  // namespace sched
}  // namespace weft::runtime

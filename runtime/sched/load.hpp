// What a rank has cost so far, and what of it the balancer hears.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace sched {

// Cycles of the time stamp counter. `cycles` and `switches` are written by the rank's worker, the rest by the rank
// itself and, while it is suspended in a balancing step, by the step.
struct Load {
  std::atomic<std::uint64_t> cycles = 0;  // since the start, whatever is measured
  std::uint64_t at_last_step = 0;         // value of `cycles` at the last balancing step or reset()
  std::atomic<std::uint64_t> switches = 0;

  void count_switch() { switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void stop();   // what follows does not count
  void start();  // it counts again
  void reset();  // nothing since the last step has counted
  // Instead of what is measured, in the next step.
  void set(double seconds) { told_ = seconds; }

  // What counts since the last call of this, or since a step or reset() that came later; what set() said instead.
  double take_recorded();
  // Since the last step or reset(), what counts of it.
  std::uint64_t counted() const;
  // What the balancer hears; the next period starts.
  double take_seconds();

  void pup(pup::Puper& p);

 private:
  bool counts_ = true;
  std::uint64_t stopped_at_ = 0;  // value of `cycles` at stop() or, later, at the last step
  std::uint64_t left_out_ = 0;    // of this period, before stopped_at_
  std::optional<double> told_;
  std::uint64_t recorded_ = 0;  // of counted(): what take_recorded() has given
};

}  // namespace sched
}  // namespace weft::runtime

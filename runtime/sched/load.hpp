// The time that a rank has used so far, and which part of it counts as its load.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "pup/pup.hpp"

namespace weft::runtime {
inline namespace sched {

// In cycles of the time stamp counter. `cycles` and `switches` are written by the rank's worker, the rest by the rank
// itself and, while it is suspended in a balancing step, by the step.
struct Load {
  std::atomic<std::uint64_t> cycles = 0;  // since the start, whether they count as load or not
  std::uint64_t at_last_step = 0;         // value of `cycles` at the last balancing step or reset()
  std::atomic<std::uint64_t> switches = 0;

  void count_switch() { switches.store(switches.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  void stop();   // from now on cycles do not count as load
  void start();  // they count again
  void reset();  // what was used since the last step does not count
  // The program says what its load is: replaces the measured one in the next step.
  void declare(double seconds) { declared_seconds_ = seconds; }
  // Whether the program has said so since the last step or reset().
  bool is_declared() const { return declared_seconds_.has_value(); }

  // The seconds that count since the last call of this function, or since a later step or reset(); the declared ones,
  // if there are any.
  double take_recorded();
  // The cycles since the last step or reset() that count.
  std::uint64_t counted() const;
  // The load for the balancer in seconds; a new period begins.
  double take_seconds();

  void pup(pup::Puper& p);

 private:
  bool counts_ = true;
  std::uint64_t stopped_at_ = 0;  // value of `cycles` at stop() or, later, at the last step
  std::uint64_t left_out_ = 0;    // cycles of this period before stopped_at_ that do not count
  std::optional<double> declared_seconds_;
  std::uint64_t recorded_ = 0;  // the part of counted() that take_recorded() has returned
};

}  // namespace sched
}  // namespace weft::runtime

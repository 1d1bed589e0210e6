// Where a worker's time goes: to its ranks, to sleep, to others on its core.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/meter/core_times.hpp"
#include "runtime/meter/counter.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/meter/missing_time.hpp"
#include "runtime/meter/thread_time.hpp"
#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace sched {

// A worker's life so far, in seconds of the time stamp counter.
struct WorkerTimes {
  double at = 0;       // when this was read
  double ran = 0;      // its thread had a core: ranks, the runtime, polling
  double slept = 0;    // it had nothing to do
  double blocked = 0;  // a rank made it wait: for a file, for another thread
  double waited = 0;   // it could have run and others had its core
};

// Segments of a rank are measured by the time stamp counter. While the thread does not run, that goes on: so the
// thread's CPU clock is read at the end of a segment, but not more often than every half millisecond, for that costs
// half a microsecond. Who takes a core away keeps it longer than that, so that its time is missed in the segment in
// which it was taken.
// With a counter (--load-clock) what it counted in a segment is the segment's cost, at so many ticks a count as the
// thread's CPU clock has told in the last half millisecond. Who takes the core away is not in that.
// Written by its worker's thread; read() by any.
class WorkerMeter {
 public:
  // On the worker's thread, before anything is measured. `core`: where it is bound to, or none. Throws as Counter.
  void begin(std::optional<std::uint32_t> core, const LoadClock& clock = {});
  // On the same thread: from now on by the time stamp counter only.
  void stop_counting();
  // None before begin(), which it pairs with.
  std::optional<std::uint32_t> core() const { return began_.load(std::memory_order_acquire) ? core_ : std::nullopt; }

  // The cycles of a segment that ends now, as its rank hears of them.
  std::uint64_t cost(std::uint64_t start, std::uint64_t now) {
    return now - read_at_ < plain_for_ ? now - start : corrected_cost(start, now);
  }
  // Whether cost() would do more than subtract.
  bool reading_is_due(std::uint64_t now) const { return now - read_at_ >= plain_for_; }
  // On the same thread. When the clocks were last read, and when something was last missing then.
  std::uint64_t read_at() const { return read_at_; }
  const MissingTime& last_missing() const { return last_missing_; }
  // A segment begins that is not the end of another; now.
  std::uint64_t begin_segment() {
    if (counter_) [[unlikely]] {
      count_ = counter_->read();
    }
    return ticks();
  }

  // Nobody else has had its core for long, lately.
  bool undisturbed(std::uint64_t now) const { return now - last_missing_.long_at > kQuietReads * between_reads_; }

  // Pairs with times().
  void sleeps(std::uint64_t now) { asleep_since_.store(now, std::memory_order_release); }
  void wakes(std::uint64_t now);
  // It had no ready rank from `start` on, awake or asleep.
  void idled(std::uint64_t start, std::uint64_t now, bool slept);

  // While the thread lives. Nothing before begin().
  std::optional<WorkerTimes> read() const;
  // As it was at begin(). REQUIRES: read() has given something.
  const WorkerTimes& first() const { return first_; }
  const CoreTimes* first_core() const { return first_core_ ? &*first_core_ : nullptr; }

 private:
  WorkerTimes times() const;
  // Seconds in which the thread did not run; of them those that its rank had chosen.
  struct Missing {
    double all = 0;
    double chosen = 0;
  };
  std::uint64_t corrected_cost(std::uint64_t start, std::uint64_t now);
  std::uint64_t counted_cost(std::uint64_t now);
  Missing missing_until(std::uint64_t now);
  double missing_by_choice(double missing);
  void read_again(std::uint64_t now);

  static constexpr std::uint64_t kQuietReads = 200;  // the times between two readings that count as long

  // Constant once `began_` is set.
  std::atomic<bool> began_ = false;
  WorkerTimes first_;
  std::optional<CoreTimes> first_core_;
  std::optional<std::uint32_t> core_;
  std::unique_ptr<ThreadTime> thread_;
  std::uint64_t between_reads_ = UINT64_MAX;
  std::uint64_t plain_for_ = UINT64_MAX;  // that, or 0 with a counter
  std::uint64_t read_at_ = 0;             // when the thread's clocks were last read
  std::optional<Counter> counter_;
  std::uint64_t count_ = 0;  // at the begin of the segment
  // What was read then; the counts of switches are older where nothing was missing since.
  double ran_ = 0;
  double waited_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t sleeps_ = 0;  // of the worker itself, since then
  std::uint64_t count_at_read_ = 0;
  double ticks_per_count_ = 0;
  MissingTime last_missing_;
  std::atomic<std::uint64_t> slept_ticks_ = 0;
  std::atomic<std::uint64_t> asleep_since_ = 0;  // 0: awake
  std::atomic<double> blocked_ = 0;
};

}  // namespace sched
}  // namespace weft::runtime

// Measures where a worker's time goes: to its ranks, to sleep, to others on its core.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "runtime/meter/core_times.hpp"
#include "runtime/meter/counter.hpp"
#include "runtime/meter/load_clock.hpp"
#include "runtime/meter/off_cpu_time.hpp"
#include "runtime/meter/thread_time.hpp"
#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace sched {

// Times of a worker since its start, in seconds of the time stamp counter.
struct WorkerTimes {
  double at = 0;       // when this was read
  double ran = 0;      // its thread had a core: ranks, the runtime, polling
  double slept = 0;    // it had nothing to do
  double blocked = 0;  // a rank made it wait: for a file, for another thread
  double waited = 0;   // it could have run and others had its core
};

// Segments of a rank are measured by the time stamp counter, which also counts while the thread does not run. So the
// thread's CPU clock is read at the end of a segment, but at most every half millisecond, since that costs half a
// microsecond. A process that takes the core away keeps it for longer than that, so that its time is found in the
// segment in which it had the core.
// With a counter (--load-clock) the cost of a segment is what the counter counted in it. The ticks per count come from
// the thread's CPU clock in the last half millisecond. The counter does not count while the thread does not run.
// Written by the thread that runs the worker; any thread may call core(), read(), first() and first_core().
class WorkerMeter {
 public:
  // On the worker's thread, before anything is measured. `core`: to which it is bound, or none. Throws what Counter
  // does.
  void begin(std::optional<std::uint32_t> core, const LoadClock& clock = {});
  // On the same thread: measure by the time stamp counter only from now on.
  void stop_counting();
  // None before begin(), which it pairs with.
  std::optional<std::uint32_t> core() const { return began_.load(std::memory_order_acquire) ? core_ : std::nullopt; }

  // The cycles to charge for a segment that ends now.
  std::uint64_t cost(std::uint64_t start, std::uint64_t now) {
    return now - read_at_ < uncorrected_ticks_ ? now - start : corrected_cost(start, now);
  }
  // Whether cost() would do more than subtract.
  bool reading_is_due(std::uint64_t now) const { return now - read_at_ >= uncorrected_ticks_; }
  // On the same thread. When the clocks were last read, and the last time off the CPU that such a reading has found.
  std::uint64_t read_at() const { return read_at_; }
  const OffCpuTime& last_off_cpu() const { return last_off_cpu_; }
  // Begins a segment that does not begin at the end of another one; returns the time now.
  std::uint64_t begin_segment() {
    if (counter_) [[unlikely]] {
      count_ = counter_->read();
    }
    return ticks();
  }

  // Whether no other thread has had the core for long lately.
  bool undisturbed(std::uint64_t now) const { return now - last_off_cpu_.long_at > kQuietReads * read_interval_; }

  void sleeps(std::uint64_t now) { add_slept(-static_cast<std::int64_t>(now)); }
  void wakes(std::uint64_t now);
  // Notes that the worker had no ready rank from `start` until now, awake or asleep.
  void idled(std::uint64_t start, std::uint64_t now, bool slept);

  // To be called while the thread lives. Nothing before begin().
  std::optional<WorkerTimes> read() const;
  // The times at begin(). REQUIRES: read() has returned a value.
  const WorkerTimes& first() const { return first_; }
  const CoreTimes* first_core() const { return first_core_ ? &*first_core_ : nullptr; }

 private:
  WorkerTimes times() const;
  // Seconds in which the thread was off the CPU; `voluntary`: of these, those in which its rank made it wait.
  struct OffCpu {
    double all = 0;
    double voluntary = 0;
  };
  std::uint64_t corrected_cost(std::uint64_t start, std::uint64_t now);
  std::uint64_t counted_cost(std::uint64_t now);
  OffCpu off_cpu_until(std::uint64_t now);
  double voluntary_off_cpu(double off_cpu);
  void read_clock(std::uint64_t now);
  void add_slept(std::int64_t ticks) {
    slept_.store(slept_.load(std::memory_order_relaxed) + ticks, std::memory_order_relaxed);
  }

  static constexpr std::uint64_t kQuietReads = 200;  // read intervals after which the core counts as undisturbed

  // Constant once `began_` is set.
  std::atomic<bool> began_ = false;
  WorkerTimes first_;
  std::optional<CoreTimes> first_core_;
  std::optional<std::uint32_t> core_;
  std::unique_ptr<ThreadTime> thread_;
  std::uint64_t read_interval_ = UINT64_MAX;
  // Touched by the thread that runs the worker only, except the atomics, which any thread may read.
  std::uint64_t uncorrected_ticks_ = UINT64_MAX;  // read_interval_, or 0 with a counter
  std::uint64_t read_at_ = 0;                     // when the thread's clocks were last read
  std::optional<Counter> counter_;
  std::uint64_t count_ = 0;  // at the beginning of the segment
  // What was read at read_at_; waited_ and switches_ are older where the thread has not been off the CPU since.
  double ran_ = 0;
  double waited_ = 0;
  std::uint64_t switches_ = 0;
  std::uint64_t sleeps_ = 0;  // of the worker itself, since switches_ was read
  std::uint64_t count_at_read_ = 0;
  double ticks_per_count_ = 0;
  OffCpuTime last_off_cpu_;
  // The ticks of all sleeps. During a sleep: those of the earlier ones less the time at which it began, which is
  // negative. One variable, so that no reader counts a sleep that is just ending twice.
  std::atomic<std::int64_t> slept_ = 0;
  std::atomic<double> blocked_ = 0;
};

}  // namespace sched
}  // namespace weft::runtime

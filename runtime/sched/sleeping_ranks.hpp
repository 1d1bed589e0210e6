// The contexts of a worker that sleep until a given time, since their ranks have called nanosleep() or the like.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <vector>

namespace weft::runtime {
inline namespace sched {

struct ExecutionContext;

// Nanoseconds of CLOCK_MONOTONIC.
using MonotonicTime = std::int64_t;
inline constexpr MonotonicTime kNever = std::numeric_limits<MonotonicTime>::max();
inline MonotonicTime monotonic_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Touched by the worker's thread (or the one that holds the worker lock) only, except next(), is_due() and interrupt().
class SleepingRanks {
 public:
  bool any() const { return next_.load(std::memory_order_relaxed) != kNever; }
  void add(ExecutionContext& context, MonotonicTime until);
  // Removes a context whose time has come or whose sleep was interrupted; null when there is none. The earliest time
  // comes first; of equal times, the sleep that began first.
  ExecutionContext* take_due(MonotonicTime now);

  // Any thread: when take_due() may next return a context; kNever where none sleeps. May be out of date.
  MonotonicTime next() const {
    const MonotonicTime time = next_.load(std::memory_order_relaxed);
    return time != kNever && interrupted_.load(std::memory_order_relaxed) ? 0 : time;
  }
  bool is_due() const {
    const MonotonicTime time = next();
    return time != kNever && monotonic_now() >= time;
  }
  // Any thread, also in a signal handler, after RankContext::interrupted was set. Pairs with take_interrupted().
  void interrupt() { interrupted_.store(true, std::memory_order_release); }

 private:
  struct Sleep {
    MonotonicTime until;
    std::uint64_t number;  // among all sleeps of this worker
    ExecutionContext* context;
  };
  // The order of a heap whose first element is the earliest sleep.
  static bool later(const Sleep& a, const Sleep& b) {
    return a.until != b.until ? a.until > b.until : a.number > b.number;
  }
  void update_next();
  ExecutionContext* take_interrupted();

  std::vector<Sleep> heap_;
  std::uint64_t sleeps_ = 0;
  std::atomic<MonotonicTime> next_ = kNever;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace sched
}  // namespace weft::runtime

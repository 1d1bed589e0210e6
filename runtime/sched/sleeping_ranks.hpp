// The contexts of a worker that sleep until a certain time: nanosleep() and its like, called by ranks.
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

// Touched by the worker's thread (or the one that holds the worker lock) alone, except for next(), is_due() and
// interrupt().
class SleepingRanks {
 public:
  bool any() const { return next_.load(std::memory_order_relaxed) != kNever; }
  void add(ExecutionContext& context, MonotonicTime until);
  // A context whose time has come, or whose sleep was interrupted; null when there is none. The earliest comes first,
  // and of those of one time who slept first.
  ExecutionContext* take_due(MonotonicTime now);

  // Any thread: when somebody may have to be taken out; kNever where nobody sleeps. May be out of date.
  MonotonicTime next() const {
    const MonotonicTime time = next_.load(std::memory_order_relaxed);
    return time != kNever && interrupted_.load(std::memory_order_relaxed) ? 0 : time;
  }
  bool is_due() const {
    const MonotonicTime time = next();
    return time != kNever && monotonic_now() >= time;
  }
  // Any thread, also in a signal handler: some RankContext::interrupted was set. Pairs with
  // take_interrupted().
  void interrupt() { interrupted_.store(true, std::memory_order_release); }

 private:
  struct Sleep {
    MonotonicTime until;
    std::uint64_t number;  // of all sleeps of this worker
    ExecutionContext* context;
  };
  // The order of a heap whose first element is the earliest.
  static bool later(const Sleep& a, const Sleep& b) {
    return a.until != b.until ? a.until > b.until : a.number > b.number;
  }
  void note_next();
  ExecutionContext* take_interrupted();

  std::vector<Sleep> heap_;
  std::uint64_t sleeps_ = 0;
  std::atomic<MonotonicTime> next_ = kNever;
  std::atomic<bool> interrupted_ = false;
};

}  // namespace sched
}  // namespace weft::runtime

#include "runtime/sched/worker_meter.hpp"

#include <algorithm>
#include <utility>

namespace weft::runtime {
inline namespace sched {
namespace {

constexpr double kBetweenReads = 500e-6;  // seconds
// Interrupts and the clocks' own steps make so much of a difference.
constexpr double kNothingMissing = 20e-6;
// Less tells nothing of what a count stands for: the clock and the counter are not read at one moment.
constexpr double kEnoughToCompare = 100e-6;
// Whoever computes beside a worker has its core for a slice of the scheduler's, the system's own threads do not.
constexpr double kSlice = 1e-3;

// The meter whose clocks are the calling thread's.
[[gnu::tls_model("initial-exec")]] thread_local const WorkerMeter* meter_of_thread = nullptr;

}  // namespace

void WorkerMeter::begin(std::optional<std::uint32_t> core, const LoadClock& clock) {
  meter_of_thread = this;
  core_ = core;
  thread_ = std::make_unique<ThreadTime>();
  between_reads_ = static_cast<std::uint64_t>(kBetweenReads * ticks_per_second());
  plain_for_ = between_reads_;
  if (!clock.event.empty()) {
    counter_.emplace(clock.event);
    count_ = counter_->read();
    ticks_per_count_ = clock.ticks_per_count;
    plain_for_ = 0;
  }
  switches_ = ThreadTime::voluntary_switches();
  waited_ = thread_->waited_seconds();
  read_again(ticks());
  last_missing_.long_at = read_at_;
  if (core) {
    const CoreTable table = read_core_times();
    if (const auto its = table.find(*core); its != table.end()) {
      first_core_ = its->second;
    }
  }
  first_ = times();
  // Pairs with read() and core(): what is constant from now on is visible.
  began_.store(true, std::memory_order_release);
}

std::optional<WorkerTimes> WorkerMeter::read() const {
  // Pairs with begin().
  return began_.load(std::memory_order_acquire) ? std::optional(times()) : std::nullopt;
}

void WorkerMeter::read_again(std::uint64_t now) {
  read_at_ = now;
  ran_ = thread_->ran_seconds();
  count_at_read_ = count_;
}

void WorkerMeter::stop_counting() {
  counter_.reset();
  plain_for_ = between_reads_;
}

std::uint64_t WorkerMeter::corrected_cost(std::uint64_t start, std::uint64_t now) {
  if (counter_) {
    return counted_cost(now);
  }
  if (meter_of_thread != this) {  // a thread of the rank's ran, and the worker's own did not
    read_again(now);
    return now - start;
  }
  const std::uint64_t since = read_at_;
  const Missing missing = missing_until(now);
  const auto taken = static_cast<std::uint64_t>((missing.all - missing.chosen) * ticks_per_second());
  if (taken > 0) {
    last_missing_ = {.since = since, .at = now, .taken = taken, .long_at = last_missing_.long_at};
  }
  return now - start - std::min(taken, now - start);
}

std::uint64_t WorkerMeter::counted_cost(std::uint64_t now) {
  const std::uint64_t begin = std::exchange(count_, counter_->read());
  double chosen = 0;
  if (now - read_at_ >= between_reads_) {
    const double ran_before = ran_;
    const std::uint64_t count_before = count_at_read_;
    chosen = missing_until(now).chosen;
    if (ran_ - ran_before >= kEnoughToCompare && count_ != count_before) {
      ticks_per_count_ = (ran_ - ran_before) * ticks_per_second() / static_cast<double>(count_ - count_before);
    }
  }
  return static_cast<std::uint64_t>(static_cast<double>(count_ - begin) * ticks_per_count_ +
                                    chosen * ticks_per_second());
}

WorkerMeter::Missing WorkerMeter::missing_until(std::uint64_t now) {
  const double elapsed = static_cast<double>(now - read_at_) / ticks_per_second();
  const double ran_before = ran_;
  read_again(now);
  const double missing = elapsed - (ran_ - ran_before);
  if (missing < kNothingMissing) {
    return {};
  }
  const double chosen = missing_by_choice(missing);
  blocked_.store(blocked_.load(std::memory_order_relaxed) + chosen, std::memory_order_relaxed);
  if (missing - chosen > kSlice) {
    last_missing_.long_at = now;
  }
  return {.all = missing, .chosen = chosen};
}

// Of the seconds in which the thread did not run, those for which its rank itself had given the core away.
double WorkerMeter::missing_by_choice(double missing) {
  const double waited_before = waited_;
  const std::uint64_t expected = switches_ + sleeps_;
  waited_ = thread_->waited_seconds();
  switches_ = ThreadTime::voluntary_switches();
  sleeps_ = 0;
  return switches_ <= expected ? 0.0 : std::max(0.0, missing - (waited_ - waited_before));
}

void WorkerMeter::wakes(std::uint64_t now) {
  const std::uint64_t since = asleep_since_.load(std::memory_order_relaxed);
  slept_ticks_.store(slept_ticks_.load(std::memory_order_relaxed) + now - since, std::memory_order_relaxed);
  // Pairs with times(): who sees the worker awake sees the ticks that it slept.
  asleep_since_.store(0, std::memory_order_release);
  ++sleeps_;
}

void WorkerMeter::idled(std::uint64_t start, std::uint64_t now, bool slept) {
  if (slept || now - start > between_reads_) {
    read_again(now);
  }
}

WorkerTimes WorkerMeter::times() const {
  // Pairs with wakes() and sleeps().
  const std::uint64_t since = asleep_since_.load(std::memory_order_acquire);
  const std::uint64_t slept = slept_ticks_.load(std::memory_order_relaxed);
  const std::uint64_t now = ticks();
  const double rate = ticks_per_second();
  return {.at = static_cast<double>(now) / rate,
          .ran = thread_->ran_seconds(),
          .slept = static_cast<double>(slept + (since == 0 ? 0 : now - since)) / rate,
          .blocked = blocked_.load(std::memory_order_relaxed),
          .waited = thread_->waited_seconds()};
}

}  // namespace sched
}  // namespace weft::runtime

#include "runtime/sched/worker_meter.hpp"

#include <algorithm>
#include <utility>

namespace weft::runtime {
inline namespace sched {
namespace {

constexpr double kReadInterval = 500e-6;  // seconds
// Interrupts and the resolution of the clocks account for less than this.
constexpr double kLeastOffCpu = 20e-6;
// CPU time from which ticks per count are computed: in less time the clock and the counter, which are not read at the
// same moment, differ too much.
constexpr double kEnoughToCompare = 100e-6;
// A thread that computes beside a worker has its core for a time slice of the kernel; the system's own threads have it
// for less.
constexpr double kTimeSlice = 1e-3;

// The meter that measures the calling thread.
[[gnu::tls_model("initial-exec")]] thread_local const WorkerMeter* meter_of_thread = nullptr;

}  // namespace

void WorkerMeter::begin(std::optional<std::uint32_t> core, const LoadClock& clock) {
  meter_of_thread = this;
  core_ = core;
  thread_ = std::make_unique<ThreadTime>();
  read_interval_ = static_cast<std::uint64_t>(kReadInterval * ticks_per_second());
  uncorrected_ticks_ = read_interval_;
  if (!clock.event.empty()) {
    counter_.emplace(clock.event);
    count_ = counter_->read();
    ticks_per_count_ = clock.ticks_per_count;
    uncorrected_ticks_ = 0;
  }
  switches_ = ThreadTime::voluntary_switches();
  waited_ = thread_->waited_seconds();
  read_clock(ticks());
  last_off_cpu_.long_at = read_at_;
  if (core) {
    const CoreTable table = read_core_times();
    if (const auto its = table.find(*core); its != table.end()) {
      first_core_ = its->second;
    }
  }
  first_ = times();
  // Pairs with read() and core(): the members that are constant from now on are visible.
  began_.store(true, std::memory_order_release);
}

std::optional<WorkerTimes> WorkerMeter::read() const {
  // Pairs with begin().
  return began_.load(std::memory_order_acquire) ? std::optional(times()) : std::nullopt;
}

void WorkerMeter::read_clock(std::uint64_t now) {
  read_at_ = now;
  ran_ = thread_->ran_seconds();
  count_at_read_ = count_;
}

void WorkerMeter::stop_counting() {
  counter_.reset();
  uncorrected_ticks_ = read_interval_;
}

std::uint64_t WorkerMeter::corrected_cost(std::uint64_t start, std::uint64_t now) {
  if (counter_) {
    return counted_cost(now);
  }
  if (meter_of_thread != this) {  // a thread of the rank ran, not the worker's own
    read_clock(now);
    return now - start;
  }
  const std::uint64_t since = read_at_;
  const OffCpu off_cpu = off_cpu_until(now);
  const auto taken = static_cast<std::uint64_t>((off_cpu.all - off_cpu.voluntary) * ticks_per_second());
  if (taken > 0) {
    last_off_cpu_ = {.since = since, .at = now, .taken = taken, .long_at = last_off_cpu_.long_at};
  }
  return now - start - std::min(taken, now - start);
}

std::uint64_t WorkerMeter::counted_cost(std::uint64_t now) {
  const std::uint64_t begin = std::exchange(count_, counter_->read());
  double voluntary = 0;
  if (now - read_at_ >= read_interval_) {
    const double ran_before = ran_;
    const std::uint64_t count_before = count_at_read_;
    voluntary = off_cpu_until(now).voluntary;
    if (ran_ - ran_before >= kEnoughToCompare && count_ != count_before) {
      ticks_per_count_ = (ran_ - ran_before) * ticks_per_second() / static_cast<double>(count_ - count_before);
    }
  }
  return static_cast<std::uint64_t>(static_cast<double>(count_ - begin) * ticks_per_count_ +
                                    voluntary * ticks_per_second());
}

WorkerMeter::OffCpu WorkerMeter::off_cpu_until(std::uint64_t now) {
  const double elapsed = static_cast<double>(now - read_at_) / ticks_per_second();
  const double ran_before = ran_;
  read_clock(now);
  const double off_cpu = elapsed - (ran_ - ran_before);
  if (off_cpu < kLeastOffCpu) {
    return {};
  }
  const double voluntary = voluntary_off_cpu(off_cpu);
  blocked_.store(blocked_.load(std::memory_order_relaxed) + voluntary, std::memory_order_relaxed);
  if (off_cpu - voluntary > kTimeSlice) {
    last_off_cpu_.long_at = now;
  }
  return {.all = off_cpu, .voluntary = voluntary};
}

// The part of these seconds off the CPU in which the rank itself made the thread wait, as for a file.
double WorkerMeter::voluntary_off_cpu(double off_cpu) {
  const double waited_before = waited_;
  const std::uint64_t expected = switches_ + sleeps_;
  waited_ = thread_->waited_seconds();
  switches_ = ThreadTime::voluntary_switches();
  sleeps_ = 0;
  return switches_ <= expected ? 0.0 : std::max(0.0, off_cpu - (waited_ - waited_before));
}

void WorkerMeter::wakes(std::uint64_t now) {
  add_slept(static_cast<std::int64_t>(now));
  ++sleeps_;
}

void WorkerMeter::idled(std::uint64_t start, std::uint64_t now, bool slept) {
  if (slept || now - start > read_interval_) {
    read_clock(now);
  }
}

WorkerTimes WorkerMeter::times() const {
  const std::int64_t slept = slept_.load(std::memory_order_relaxed);
  const std::uint64_t now = ticks();
  const double rate = ticks_per_second();
  return {.at = static_cast<double>(now) / rate,
          .ran = thread_->ran_seconds(),
          .slept = static_cast<double>(slept < 0 ? slept + static_cast<std::int64_t>(now) : slept) / rate,
          .blocked = blocked_.load(std::memory_order_relaxed),
          .waited = thread_->waited_seconds()};
}

}  // namespace sched
}  // namespace weft::runtime

#include "runtime/meter/load_clock.hpp"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <stdexcept>

#include <fmt/format.h>

#include "runtime/meter/counter.hpp"
#include "runtime/meter/thread_time.hpp"
#include "runtime/meter/ticks.hpp"

namespace weft::runtime {
inline namespace meter {
namespace {

// The most seconds that one reading may take. To measure a segment of 10 us may cost a hundredth of it, 100 ns, of
// which 20 ns are spent beside the reading.
constexpr double kMostPerReading = 80e-9;
constexpr double kProbe = 1e-3;  // seconds for which the probe computes

// Why this system cannot count cycles, found quickly and without PAPI; empty: it can.
std::string no_cycles() {
  perf_event_attr cycles{};
  cycles.size = sizeof cycles;
  cycles.type = PERF_TYPE_HARDWARE;
  cycles.config = PERF_COUNT_HW_CPU_CYCLES;
  cycles.exclude_kernel = 1;
  cycles.exclude_hv = 1;
  const long file = ::syscall(SYS_perf_event_open, &cycles, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (file >= 0) {
    ::close(static_cast<int>(file));
    return {};
  }
  return errno == EACCES || errno == EPERM ? "this system forbids counters (kernel.perf_event_paranoid)"
                                           : "this machine has no counter of cycles";
}

double seconds_per_reading(const Counter& counter) {
  constexpr int kReadings = 32;
  std::uint64_t least = UINT64_MAX;
  for (int batch = 0; batch < 8; ++batch) {
    const std::uint64_t start = ticks();
    for (int i = 0; i < kReadings; ++i) {
      counter.read();
    }
    least = std::min(least, ticks() - start);
  }
  return static_cast<double>(least) / kReadings / ticks_per_second();
}

struct Probed {
  LoadClock clock;
  double per_reading = 0;  // seconds
};

Probed probe(const std::string& event) {
  const Counter counter(event);
  const double per_reading = seconds_per_reading(counter);
  const ThreadTime thread;
  const double start = thread.ran_seconds();
  const std::uint64_t first = counter.read();
  double ran = 0;
  while (ran < kProbe) {
    ran = thread.ran_seconds() - start;
  }
  const std::uint64_t counted = counter.read() - first;
  // At least one count for each microsecond, so that segments of 10 us can be measured.
  if (static_cast<double>(counted) < ran / 1e-6) {
    throw std::runtime_error(
        fmt::format("PAPI counts {} of {} in a millisecond of computing, too few to measure ranks by", counted, event));
  }
  return {.clock = {.event = event,
                    .ticks_per_count = ran * ticks_per_second() / static_cast<double>(counted),
                    .text = fmt::format("PAPI's {}, {:.0f} ns a reading", event, per_reading * 1e9)},
          .per_reading = per_reading};
}

// By PAPI's name for cycles, or the system's if PAPI does not know the processor.
Probed probe_cycles() {
  try {
    return probe("PAPI_TOT_CYC");
  } catch (const std::runtime_error&) {
    return probe("perf::CYCLES");
  }
}

LoadClock time_stamps(const std::string& why) {
  return {.event = {}, .ticks_per_count = 0, .text = "the time stamp counter" + (why.empty() ? "" : "; " + why)};
}

LoadClock choose() {
  if (const std::string why = no_cycles(); !why.empty()) {
    return time_stamps(why);
  }
  try {
    Probed cycles = probe_cycles();
    return cycles.per_reading <= kMostPerReading
               ? std::move(cycles.clock)
               : time_stamps(
                     fmt::format("{} would take {:.0f} ns a reading", cycles.clock.event, cycles.per_reading * 1e9));
  } catch (const std::runtime_error& error) {
    return time_stamps(error.what());
  }
}

LoadClock asked_for(std::string_view event) {
  if (event.empty()) {
    const std::string why = no_cycles();
    return why.empty() ? probe_cycles().clock : throw std::runtime_error(why);
  }
  return probe(std::string(event)).clock;
}

}  // namespace

LoadClock choose_load_clock(std::string_view asked) {
  constexpr std::string_view kEvent = "papi:";
  if (asked == "auto") {
    return choose();
  }
  if (asked == "tsc") {
    return time_stamps({});
  }
  if (asked != "papi" && (!asked.starts_with(kEvent) || asked == kEvent)) {
    throw std::runtime_error(fmt::format("--load-clock: expected auto, tsc, papi or papi:EVENT, not '{}'", asked));
  }
  try {
    return asked_for(asked == "papi" ? std::string_view() : asked.substr(kEvent.size()));
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(fmt::format("--load-clock {}: {}", asked, error.what()));
  }
}

}  // namespace meter
}  // namespace weft::runtime

// Which clock is chosen, and what a PAPI counter counts.
#include "runtime/meter/load_clock.hpp"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "runtime/meter/counter.hpp"
#include "runtime/meter/thread_time.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker_meter.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// Why `asked` is refused; empty: it is not.
std::string refusal(const std::string& asked) {
  try {
    choose_load_clock(asked);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return {};
}

void compute_in_thread(double seconds) {
  const ThreadTime thread;
  const double start = thread.ran_seconds();
  while (thread.ran_seconds() - start < seconds) {
  }
}

::testing::AssertionResult undisturbed_near(double expected, double tolerance, const std::function<double()>& measure) {
  return undisturbed(50, [&] { return off("it", measure(), expected, tolerance); });
}

TEST(LoadClock, TheTimeStampCounterIsAlwaysThere) {
  const LoadClock clock = choose_load_clock("tsc");
  EXPECT_EQ(clock.event, "");
  EXPECT_EQ(clock.text, "the time stamp counter");
}

TEST(LoadClock, OtherNamesAreRefused) {
  for (const std::string name : {"", "rdtsc", "papi:", "PAPI", "papi_TOT_CYC"}) {
    EXPECT_EQ(refusal(name), "--load-clock: expected auto, tsc, papi or papi:EVENT, not '" + name + "'");
  }
}

TEST(LoadClock, AutoSaysWhatItTookAndWhyNotPapi) {
  const LoadClock clock = choose_load_clock("auto");
  if (clock.event.empty()) {
    EXPECT_THAT(clock.text, StartsWith("the time stamp counter; ")) << "and why";
    EXPECT_NE(clock.text, "the time stamp counter; ");
  } else {
    EXPECT_THAT(clock.text, HasSubstr(clock.event));
    EXPECT_GT(clock.ticks_per_count, 0);
    EXPECT_EQ(refusal("papi"), "");
  }
}

class CountedEvents : public ::testing::Test {
 protected:
  void SetUp() override {
    try {
      const Counter counter("perf::TASK-CLOCK");
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
};

TEST_F(CountedEvents, AreRefusedByNameWhereThereIsNoSuch) {
  EXPECT_THAT(refusal("papi:perf::NO-SUCH"), AllOf(StartsWith("--load-clock papi:perf::NO-SUCH: "), HasSubstr("PAPI")));
}

TEST_F(CountedEvents, AreRefusedWhereTheyDoNotGoOn) {
  EXPECT_THAT(refusal("papi:perf::CPU-MIGRATIONS"), HasSubstr("too few to measure ranks by"));
}

TEST_F(CountedEvents, AreTranslatedToTicks) {
  const LoadClock clock = choose_load_clock("papi:perf::TASK-CLOCK");
  EXPECT_EQ(clock.event, "perf::TASK-CLOCK");
  EXPECT_THAT(clock.text, StartsWith("PAPI's perf::TASK-CLOCK, "));
  EXPECT_TRUE(undisturbed_near(1, 0.02, [] {
    return choose_load_clock("papi:perf::TASK-CLOCK").ticks_per_count / (ticks_per_second() * 1e-9);
  })) << "it counts nanoseconds";
}

// What a segment that computes for so long costs, over what the thread ran.
double cost_of_computing(WorkerMeter& meter, double seconds) {
  const ThreadTime thread;
  const double ran = thread.ran_seconds();
  const std::uint64_t start = meter.begin_segment();
  compute_in_thread(seconds);
  const std::uint64_t charged = meter.cost(start, ticks());
  return static_cast<double>(charged) / ticks_per_second() / (thread.ran_seconds() - ran);
}

// The given ticks per count are used for half a millisecond; then they come from the thread's CPU clock.
TEST_F(CountedEvents, AreWhatASegmentCosts) {
  const LoadClock thrice{.event = "perf::TASK-CLOCK", .ticks_per_count = 3 * ticks_per_second() * 1e-9, .text = {}};
  EXPECT_TRUE(undisturbed_near(3, 0.3, [&] {
    WorkerMeter meter;
    meter.begin(std::nullopt, thrice);
    return cost_of_computing(meter, 0.0002);
  }));
  WorkerMeter meter;
  meter.begin(std::nullopt, thrice);
  cost_of_computing(meter, 0.002);
  EXPECT_TRUE(undisturbed_near(1, 0.1, [&] { return cost_of_computing(meter, 0.0002); }));
  meter.stop_counting();
  EXPECT_TRUE(undisturbed_near(1, 0.1, [&] { return cost_of_computing(meter, 0.002); }));
}

// Of threads that compute side by side for 4 to 16 ms: what was counted over what the thread ran, where they differ
// most.
double worst_of_threads() {
  constexpr double kSecond = 1e9;  // counts
  std::array<double, 4> ratios{};
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    threads.emplace_back([&, i] {
      const ThreadTime thread;
      double counted = 0;
      double ran = 0;
      for (int turn = 0; turn < 3; ++turn) {
        const Counter counter("perf::TASK-CLOCK");
        const double start = thread.ran_seconds();
        const std::uint64_t first = counter.read();
        compute_in_thread(0.004 * static_cast<double>(i + 1));
        ::usleep(5000);
        counted += static_cast<double>(counter.read() - first) / kSecond;
        ran += thread.ran_seconds() - start;
      }
      ratios[i] = counted / ran;
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  return *std::ranges::max_element(ratios, {}, [](double ratio) { return std::abs(ratio - 1); });
}

TEST_F(CountedEvents, AreEachThreadsOwn) { EXPECT_TRUE(undisturbed_near(1, 0.02, worst_of_threads)); }

}  // namespace
}  // namespace weft::runtime

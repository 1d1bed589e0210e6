// Ranks are charged what they cost, whoever else has their core. CPU times are compared with CPU times, so that a busy
// machine changes nothing.
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "runtime/meter/counter.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/interval_meters.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/topology/cores.hpp"
#include "tests/runtime/job_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"
#include "tests/sanitized.hpp"

namespace weft::runtime {
namespace {

// A counter that every system has that lets its users count at all: nanoseconds of the thread with a core.
constexpr const char* kSoftwareEvent = "perf::TASK-CLOCK";

TEST(Load, IsDeclaredForOneStep) {
  Load load;
  EXPECT_FALSE(load.is_declared());
  load.declare(2.5);
  EXPECT_TRUE(load.is_declared());
  EXPECT_EQ(load.take_seconds(), 2.5);
  EXPECT_FALSE(load.is_declared());
}

// With each clock that ranks can be measured by.
class MeasuredLoad : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (GetParam() == std::string("tsc")) {
      return;
    }
    try {
      const Counter counter(kSoftwareEvent);
    } catch (const std::runtime_error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  static JobConfig config(std::uint32_t ranks, std::uint32_t workers) {
    JobConfig config;
    config.ranks = ranks;
    config.workers = workers;
    config.load_clock = GetParam();
    return config;
  }
};

double cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Uses its core as much as it may, until the end.
class Hog {
 public:
  explicit Hog(int core) : thread_([this, core] { run(core); }) {
    while (!runs_) {
      ::usleep(100);
    }
  }
  ~Hog() {
    ends_ = true;
    thread_.join();
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

  // Its CPU time so far.
  double used() {
    clockid_t clock;
    ::pthread_getcpuclockid(thread_.native_handle(), &clock);
    return seconds_of(clock);
  }

 private:
  void run(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
    runs_ = true;
    while (!ends_) {
    }
  }
  std::atomic<bool> runs_ = false;
  std::atomic<bool> ends_ = false;
  std::thread thread_;
};

// Seconds of a switch between ranks that a counter takes for work: its reading, and work()'s of the thread's clock.
// None for the time stamp counter.
double seconds_of_readings(const std::string& clock) {
  if (clock == "tsc") {
    return 0;
  }
  constexpr int kReadings = 10000;
  const Counter counter(kSoftwareEvent);
  const double start = wall_seconds();
  for (int i = 0; i < kReadings; ++i) {
    counter.read();
    cpu_seconds();
  }
  return (wall_seconds() - start) / kReadings;
}

// Works for so long as this thread has a core; the seconds that it really took.
double work(double seconds) {
  const double start = cpu_seconds();
  double now = start;
  while (now - start < seconds) {
    now = cpu_seconds();
  }
  return now - start;
}

double charged(const Rank& rank) {
  return static_cast<double>(rank.load.cycles.load(std::memory_order_relaxed)) / ticks_per_second();
}

struct Measured {
  double wall = 0;
  std::array<double, 2> worked{};   // by rank, as the thread's CPU clock says
  std::array<double, 2> charged{};  // by rank, the load for the balancer
  double hog = 0;
  double wait = 0;  // of the worker's thread for its core, on average
  trace::WorkerInterval interval;
};

// How often this thread had to give its core away.
long preemptions() {
  rusage usage{};
  ::getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

constexpr int kAttempts = 10;

void yield() { Worker::current()->yield(); }

// Two ranks on one worker, the first with segments of `first` seconds, the other of `second`, for so many rounds, and a
// hog on their core.
Measured beside_a_hog(const JobConfig& config, double first, double second, int rounds) {
  Measured measured;
  WorkerIntervalMeters intervals;
  std::unique_ptr<Hog> hog;
  std::array<double, 2> before{};
  long preempted = 0;
  FunctionProgram program([&](Rank& me) {
    const std::uint32_t r = number(me.id);
    yield();
    before[r] = charged(me);
    if (r == 0) {
      preempted = preemptions();
      hog = std::make_unique<Hog>(::sched_getcpu());
      Worker::current()->update_load();
      before[r] = charged(me);
      intervals.next(me.job.workers());
      measured.wall = wall_seconds();
    }
    for (int i = 0; i < rounds; ++i) {
      measured.worked[r] += work(r == 0 ? first : second);
      yield();
    }
    Worker::current()->update_load();
    measured.charged[r] = charged(me) - before[r];
    if (r == 1) {
      yield();
      return 0;
    }
    measured.interval = intervals.next(me.job.workers())[0];
    measured.wall = wall_seconds() - measured.wall;
    preempted = preemptions() - preempted;
    measured.hog = hog->used();
    hog.reset();
    return 0;
  });
  Job(config, program).run();
  if (preempted > 0) {
    measured.wait = (measured.wall - measured.worked[0] - measured.worked[1]) / static_cast<double>(preempted);
  }
  return measured;
}

TEST_P(MeasuredLoad, AHogOnTheCoreIsNotTheRanksLoad) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer's own work is in no account";
  }
  EXPECT_TRUE(undisturbed(kAttempts, [&] {
    const Measured got = beside_a_hog(config(2, 1), 0.012, 0.003, 60);
    const double others = got.wall - got.worked[0] - got.worked[1];
    return off("the first rank's load", got.charged[0] / got.worked[0], 1, 0.05) +
           off("the other's", got.charged[1] / got.worked[1], 1, 0.05) +
           off("the background", got.interval.background / others, 1, 0.05) +
           off("the core's speed", got.interval.speed, 1, 0) +
           at_least("what the hog had", std::min(others, got.interval.background), 0.95 * got.hog);
  }));
}

TEST_P(MeasuredLoad, SegmentsShorterThanAReadingToo) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer's own work is in no account";
  }
  constexpr double kLong = 100e-6;
  constexpr double kShort = 20e-6;
  constexpr double kOffShort = 0.15;
  constexpr double kMostRounds = 20000;
  const double readings = seconds_of_readings(GetParam());
  int rounds = 3000;
  EXPECT_TRUE(undisturbed(kAttempts, [&] {
    const Measured got = beside_a_hog(config(2, 1), kLong, kShort, rounds);
    // A wait may be charged to the other rank. On a busy machine waits are longer, and three shall still be little.
    rounds = std::max(rounds, static_cast<int>(std::min(kMostRounds, 3 * got.wait / (kOffShort * kShort))));
    return off("the first rank's load", got.charged[0] / got.worked[0], 1, 0.05 + readings / kLong) +
           off("a sixth of the time, in segments of 20 us,", got.charged[1] / got.worked[1], 1,
               kOffShort + readings / kShort) +
           off("both", (got.charged[0] + got.charged[1]) / (got.worked[0] + got.worked[1]), 1,
               0.05 + 2 * readings / (kLong + kShort));
  }));
}

void send_to(std::uint32_t to) {
  Rank& me = *current_rank();
  Request request;
  request.prepare_send(me, {1, static_cast<int>(number(me.id)), 0}, static_cast<int>(to), {});
  start_send(me.job.rank(to), SendMode::standard, request);
  wait(me, request);
}

void receive_from(int from) {
  Request request;
  start_receive(*current_rank(), {1, from, 0}, {}, request);
  wait(*current_rank(), request);
}

// The worker works half of the time; the other half it waits for a message, and the hog has the core alone.
TEST_P(MeasuredLoad, AHogHasWhatTheWorkerSleeps) {
  if (allowed_cores().size() < 2) {
    GTEST_SKIP() << "needs a core for each of two workers";
  }
  EXPECT_TRUE(undisturbed(kAttempts, [&] {
    WorkerIntervalMeters intervals;
    Measured got;
    FunctionProgram program([&](Rank& me) {
      if (me.id == RankId{1}) {
        for (int i = 0; i < 100; ++i) {
          receive_from(0);
          ::usleep(5000);
          send_to(0);
        }
        return 0;
      }
      Hog hog(::sched_getcpu());
      intervals.next(me.job.workers());
      const double before = hog.used();
      for (int i = 0; i < 100; ++i) {
        work(0.002);
        send_to(1);
        receive_from(1);
      }
      got.hog = hog.used() - before;
      got.interval = intervals.next(me.job.workers())[0];
      return 0;
    });
    Job(config(2, 2), program).run();
    constexpr double kTicks = 0.03;  // of the system's clock, at both ends
    return at_least("the background", got.interval.background, 0.95 * got.hog - kTicks) +
           at_least("what the worker did not run", got.interval.wall - got.interval.ran + 1e-6,
                    got.interval.background) +
           at_least("the background", got.interval.background, got.interval.contended);
  }));
}

// Time for which a rank makes the worker wait, as for a file, is charged to it: no other rank can use the worker then.
TEST_P(MeasuredLoad, ARankThatSleepsKeepsItsWorker) {
  EXPECT_TRUE(undisturbed(kAttempts, [&] {
    constexpr int kSleeps = 20;
    double cost = 0;
    double wall = 0;
    FunctionProgram program([&](Rank& me) {
      yield();
      Worker::current()->update_load();
      const double before = charged(me);
      const double start = wall_seconds();
      for (int i = 0; i < kSleeps; ++i) {
        ::usleep(5000);
      }
      Worker::current()->update_load();
      cost = charged(me) - before;
      wall = wall_seconds() - start;
      return 0;
    });
    Job(config(1, 1), program).run();
    return at_least("the rank's cost", cost, 0.6 * kSleeps * 0.005) + at_least("the time that went by", wall, cost);
  }));
}

// Each rank's load over what it worked, where the two differ most. The long segments are long against what is no rank's
// fault: a meter reads its clocks every half millisecond at most, so a rank may be charged so much of what others took
// from its worker in a short segment before; and the rank that comes last to a step decides it, and pays for that.
double worst_of_moved_ranks(JobConfig config) {
  std::array<double, 8> ratios{};
  FunctionProgram program([&](Rank& me) {
    const std::uint32_t r = number(me.id);
    yield();
    const double before = charged(me);
    double worked = 0;
    for (int step = 0; step < 5; ++step) {
      worked += work(0.008 + 0.001 * r);
      yield();
      worked += work(0.0001 * (r + 1));
      me.job.migrate(me);
    }
    Worker::current()->update_load();
    ratios[r] = (charged(me) - before) / worked;
    return 0;
  });
  config.lb = "rotate";
  Job(config, program).run();
  return *std::ranges::max_element(ratios, {}, [](double ratio) { return std::abs(ratio - 1); });
}

// What a rank has cost stays right when it goes on with another worker's counter.
TEST_P(MeasuredLoad, RanksThatMoveTakeTheirsAlong) {
  const double tolerance = kSanitized ? 1 : 0.1;  // the sanitizer's own work is in no account
  for (const std::uint32_t workers : {1U, 2U, 4U}) {
    EXPECT_TRUE(undisturbed(
        kAttempts, [&] { return off("a rank's load", worst_of_moved_ranks(config(8, workers)), 1, tolerance); }))
        << "on " << workers << " workers";
  }
}

// A counter is one thread's: from the first call of a rank's thread on its worker measures by ticks.
TEST_P(MeasuredLoad, ThreadsOfARankMayCall) {
  double got = 0;
  FunctionProgram program([&](Rank& me) {
    resume_call();
    allow_threads(me);
    leave_call();
    me.has_threads = true;
    const double before = charged(me);
    std::thread([&] {
      for (int i = 0; i < 20; ++i) {
        begin_call(me);
        work(0.002);
        leave_call();
      }
    }).join();
    got = charged(me) - before;
    return 0;
  });
  Job(config(1, 1), program).run();
  EXPECT_GT(got, 0);
}

INSTANTIATE_TEST_SUITE_P(Clocks, MeasuredLoad, ::testing::Values("tsc", "papi:perf::TASK-CLOCK"),
                         [](const auto& clock) { return clock.param == std::string("tsc") ? "Ticks" : "Counter"; });

}  // namespace
}  // namespace weft::runtime

// Ranks are charged what they cost, whoever else has their core. CPU times are compared with CPU times, so that a busy
// machine changes nothing.
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <ctime>
#include <memory>
#include <thread>

#include "job_fixture.hpp"
#include "runtime/message/point_to_point.hpp"
#include "runtime/topology/cores.hpp"
#include "runtime/worker/windows.hpp"
#include "runtime/worker/worker.hpp"
#include "tests/sanitized.hpp"

namespace weft::runtime {
namespace {

double cpu_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

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
    if (thread_.joinable()) {
      stop();
    }
  }
  Hog(const Hog&) = delete;
  Hog& operator=(const Hog&) = delete;

  // Its CPU time.
  double stop() {
    ends_ = true;
    thread_.join();
    return used_;
  }
  // Once it is stopped: the longest time without the core, which on the busiest machine is a turn of each process.
  double longest_gap() const { return longest_gap_; }

 private:
  void run(int core) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<std::size_t>(core), &set);
    ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
    const double start = cpu_seconds();
    runs_ = true;
    for (double last = wall_seconds(); !ends_;) {
      const double now = wall_seconds();
      longest_gap_ = std::max(longest_gap_, now - last);
      last = now;
    }
    used_ = cpu_seconds() - start;
  }
  std::atomic<bool> runs_ = false;
  std::atomic<bool> ends_ = false;
  double used_ = 0;
  double longest_gap_ = 0;
  std::thread thread_;
};

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
  std::array<double, 2> charged{};  // by rank, as the balancer hears
  double hog = 0;
  WindowLoad window;
  bool whole = true;  // false: somebody has stopped the process meanwhile, which looks like a wait for a file
};

// Nobody's load keeps a thread from its core for so long.
constexpr double kStopped = 1.0;

void yield() { Worker::current()->yield(*current_rank()); }

// Two ranks on one worker, the first with segments of `first` seconds, the other of `second`, for so many rounds, and a
// hog on their core.
Measured try_beside_a_hog(double first, double second, int rounds) {
  Measured measured;
  WorkerWindows windows;
  std::unique_ptr<Hog> hog;
  std::array<double, 2> before{};
  FunctionProgram program([&](Rank& me) {
    const std::uint32_t r = number(me.id);
    yield();
    before[r] = charged(me);
    if (r == 0) {
      hog = std::make_unique<Hog>(::sched_getcpu());
      Worker::current()->update_load();
      before[r] = charged(me);
      windows.next(me.job);
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
    measured.window = windows.next(me.job)[0];
    measured.wall = wall_seconds() - measured.wall;
    measured.hog = hog->stop();
    measured.whole = hog->longest_gap() < kStopped;
    return 0;
  });
  JobConfig config;
  config.ranks = 2;
  config.workers = 1;
  Job(config, program).run();
  return measured;
}

Measured beside_a_hog(double first, double second, int rounds) {
  Measured measured = try_beside_a_hog(first, second, rounds);
  while (!measured.whole) {
    measured = try_beside_a_hog(first, second, rounds);
  }
  return measured;
}

TEST(MeasuredLoad, AHogOnTheCoreIsNotTheRanksLoad) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer's own work is in no account";
  }
  const Measured got = beside_a_hog(0.012, 0.003, 60);
  EXPECT_NEAR(got.charged[0] / got.worked[0], 1, 0.05);
  EXPECT_NEAR(got.charged[1] / got.worked[1], 1, 0.05);
  const double others = got.wall - got.worked[0] - got.worked[1];
  EXPECT_GE(others, 0.95 * got.hog) << "else the test is wrong";
  EXPECT_NEAR(got.window.background / others, 1, 0.05);
  EXPECT_GE(got.window.background, 0.95 * got.hog);
  EXPECT_EQ(got.window.speed, 1);
}

TEST(MeasuredLoad, SegmentsShorterThanAReadingToo) {
  if (kSanitized) {
    GTEST_SKIP() << "the sanitizer's own work is in no account";
  }
  const Measured got = beside_a_hog(100e-6, 20e-6, 3000);
  EXPECT_NEAR(got.charged[0] / got.worked[0], 1, 0.05);
  EXPECT_NEAR(got.charged[1] / got.worked[1], 1, 0.15) << "a twentieth of the time, in segments of 20 us";
  EXPECT_NEAR((got.charged[0] + got.charged[1]) / (got.worked[0] + got.worked[1]), 1, 0.05);
}

void send_to(std::uint32_t to) {
  Rank& me = *current_rank();
  Request request;
  start_send(me, me.job.rank(to), {1, static_cast<int>(number(me.id)), 0}, static_cast<int>(to), {}, SendMode::standard,
             request);
  wait(me, request);
}

void receive_from(int from) {
  Request request;
  start_receive(*current_rank(), {1, from, 0}, {}, request);
  wait(*current_rank(), request);
}

// The worker works half of the time; the other half it waits for a message, and the hog has the core alone.
TEST(MeasuredLoad, AHogHasWhatTheWorkerSleeps) {
  if (allowed_cores().size() < 2) {
    GTEST_SKIP() << "needs a core for each of two workers";
  }
  WorkerWindows windows;
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
    windows.next(me.job);
    for (int i = 0; i < 100; ++i) {
      work(0.002);
      send_to(1);
      receive_from(1);
    }
    got.window = windows.next(me.job)[0];
    got.hog = hog.stop();
    return 0;
  });
  JobConfig config;
  config.ranks = 2;
  config.workers = 2;
  Job(config, program).run();
  constexpr double kTicks = 0.03;  // of the system's clock, at both ends
  EXPECT_GE(got.window.background, 0.95 * got.hog - kTicks);
  EXPECT_LE(got.window.background, got.window.wall - got.window.ran + 1e-6);
  EXPECT_LE(got.window.contended, got.window.background);
}

// What a rank waits for by its own will is its own: nobody else can use the worker meanwhile.
TEST(MeasuredLoad, ARankThatSleepsKeepsItsWorker) {
  FunctionProgram program([&](Rank& me) {
    yield();
    Worker::current()->update_load();
    const double before = charged(me);
    const double start = wall_seconds();
    while (wall_seconds() - start < 0.1) {
      ::usleep(5000);
    }
    Worker::current()->update_load();
    EXPECT_GE(charged(me) - before, 0.03);
    EXPECT_LE(charged(me) - before, wall_seconds() - start);
    return 0;
  });
  JobConfig config;
  Job(config, program).run();
}

}  // namespace
}  // namespace weft::runtime

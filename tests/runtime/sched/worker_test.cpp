// The scheduler alone: no job, no messages between ranks. What it asks of the layers above it are the test's hooks.
#include "runtime/sched/worker.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

constexpr std::size_t kStack = std::size_t{256} << 10;

class Process;

// A rank that runs a function.
struct TestRank : RankContext {
  TestRank(Process& its, RankId number, Worker* home) : RankContext(number, home, ProcessId{}), process(its) {}

  Process& process;
  std::function<void(TestRank&)> body;
  std::vector<std::byte> stack = std::vector<std::byte>(kStack);
};

TestRank& test_rank(RankContext& context) { return static_cast<TestRank&>(context); }

// Some workers and their ranks. Ends the workers once all ranks have ended.
class Process {
 public:
  Process() {
    hooks_.stack_for = [](RankContext& rank) { return std::span(test_rank(rank).stack); };
    hooks_.start = [](RankContext& context) {
      TestRank& rank = test_rank(context);
      rank.body(rank);
      rank.set_ended();
      Worker::current()->leave_for_good(rank, [](Worker&, RankContext& ended) { test_rank(ended).process.ended(); });
    };
  }

  WorkerHooks& hooks() { return hooks_; }
  Worker& worker(std::size_t number) { return *workers_[number]; }
  TestRank& rank(std::size_t number) { return *ranks_[number]; }

  // `homes[r]`: the worker that rank r starts on.
  void run(const std::vector<std::uint32_t>& homes, const std::function<void(TestRank&)>& body,
           const WorkerConfig& config = {}) {
    const std::uint32_t count = *std::max_element(homes.begin(), homes.end()) + 1;
    for (std::uint32_t w = 0; w < count; ++w) {
      workers_.push_back(std::make_unique<Worker>(WorkerId{w}, hooks_, config));
    }
    std::vector<std::vector<RankContext*>> residents(count);
    for (std::uint32_t r = 0; r < homes.size(); ++r) {
      ranks_.push_back(std::make_unique<TestRank>(*this, RankId{r}, workers_[homes[r]].get()));
      ranks_.back()->body = body;
      residents[homes[r]].push_back(ranks_.back().get());
    }
    alive_ = static_cast<std::uint32_t>(homes.size());
    std::vector<std::thread> threads;
    for (std::uint32_t w = 0; w < count; ++w) {
      threads.emplace_back([&, w] { workers_[w]->run(residents[w], std::nullopt); });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    for (const auto& rank : ranks_) {
      EXPECT_TRUE(rank->ended);
    }
  }

 private:
  void ended() {
    if (--alive_ == 0) {
      for (const auto& worker : workers_) {
        worker->end();
      }
    }
  }

  WorkerHooks hooks_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::unique_ptr<TestRank>> ranks_;
  std::atomic<std::uint32_t> alive_ = 0;
};

TEST(Worker, RanksTakeTurnsInTheirOrder) {
  Process process;
  std::string order;
  process.run({0, 0, 0}, [&](TestRank& me) {
    for (int round = 0; round < 2; ++round) {
      order += static_cast<char>('0' + number(me.id));
      Worker::current()->yield();
    }
  });
  EXPECT_EQ(order, "012012");
}

TEST(Worker, AParkedRankRunsOnceItIsMadeReady) {
  Process process;
  std::string order;
  process.run({0, 0}, [&](TestRank& me) {
    if (number(me.id) == 0) {
      Worker::current()->park(me);
      order += "woken";
    } else {
      Worker::current()->yield();
      order += "wakes ";
      Worker::current()->make_ready(process.rank(0));
    }
  });
  EXPECT_EQ(order, "wakes woken");
}

struct Note : DeferredWork {
  std::string* order = nullptr;
  ExecutionContext* waits = nullptr;
};

TEST(Worker, DeferredWorkRunsOnlyWhenNothingElseDoes) {
  Process process;
  std::string order;
  Note kept;
  Note cancelled;
  for (Note* note : {&kept, &cancelled}) {
    note->order = &order;
    note->run = [](Worker& here, DeferredWork& work) {
      auto& found = static_cast<Note&>(work);
      *found.order += "deferred ";
      here.make_ready(*found.waits);
    };
  }
  process.run({0, 0}, [&](TestRank& me) {
    Worker& here = *Worker::current();
    if (number(me.id) == 0) {
      kept.waits = cancelled.waits = &me;
      here.defer(kept);
      here.defer(cancelled);
      here.cancel(cancelled);
      here.park(me);
      order += "on";
    } else {
      order += "other ";
    }
  });
  EXPECT_EQ(order, "other deferred on");
}

// The rank's state says at each of these moments what the hook's contract promises.
TEST(Worker, HooksAreCalledBetweenRanks) {
  static std::uint32_t points = 0;
  static std::uint32_t switches = 0;
  static std::uint64_t charged = 0;
  points = switches = 0;
  charged = 0;
  Process process;
  process.hooks().scheduling_point = [](Worker& here) {
    EXPECT_TRUE(here.inbox().empty());
    ++points;
  };
  process.hooks().before_switch = [](Worker& here, const ExecutionContext& next, const ExecutionContext& left) {
    EXPECT_NE(&next, &left);
    EXPECT_FALSE(here.run_queue().empty());
    ++switches;
  };
  process.hooks().charged = [](Worker&, RankContext&, std::uint64_t from, std::uint64_t to) { charged += to - from; };
  std::uint64_t cycles = 0;
  process.run({0, 0, 0}, [&](TestRank&) {
    for (int round = 0; round < 4; ++round) {
      Worker::current()->yield();
    }
  });
  for (std::size_t r = 0; r < 3; ++r) {
    cycles += process.rank(r).load.cycles.load();
  }
  EXPECT_GE(points, 12U);
  EXPECT_EQ(switches, 3 * 4U);  // a rank that yields has the two others before it
  EXPECT_GT(charged, 0U);
  EXPECT_LE(cycles, charged);
}

TEST(Worker, ARankGoesToAnotherWorkerOnceNobodyStandsOnItsStack) {
  Process process;
  std::array<Worker*, 2> seen{};
  process.run({0, 1}, [&](TestRank& me) {
    if (number(me.id) == 1) {
      return;
    }
    seen[0] = Worker::current();
    me.arrival_item.deliver = [](Worker& here, InboxItem& item) {
      here.make_ready(*static_cast<OwnedItem<RankContext>&>(item).owner);
    };
    me.next_worker = &process.worker(1);
    Worker::current()->leave(me, [](Worker& here, RankContext& rank) {
      EXPECT_NE(here.context(), &rank);
      rank.next_worker->inbox().push(rank.arrival_item);
    });
    seen[1] = Worker::current();
  });
  EXPECT_EQ(seen[0], &process.worker(0));
  EXPECT_EQ(seen[1], &process.worker(1));
}

// Worker 1 has nothing to do until rank 0 sees it asleep, and then `asleep` is called there.
void wake_once_asleep(Process& process, const std::function<void()>& asleep, const WorkerConfig& config = {}) {
  struct Wake : InboxItem {
    ExecutionContext* waits = nullptr;
  };
  Wake wake;
  wake.deliver = [](Worker& here, InboxItem& item) { here.make_ready(*static_cast<Wake&>(item).waits); };
  std::atomic<bool> parks = false;
  const auto body = [&](TestRank& me) {
    if (number(me.id) == 1) {
      wake.waits = &me;
      parks = true;
      Worker::current()->park(me);
      return;
    }
    while (!parks || !process.worker(1).inbox().consumer_asleep()) {
    }
    asleep();
    process.worker(1).inbox().push(wake);
  };
  process.run({0, 1}, body, config);
}

TEST(Worker, SaysWhenItWaitsForOthers) {
  static std::atomic<int> asleep = 0;
  static std::atomic<std::uint32_t> sleeps = 0;
  asleep = 0;
  sleeps = 0;
  Process process;
  process.hooks().asleep = [](Worker&) {
    ++asleep;
    ++sleeps;
  };
  process.hooks().awake = [](Worker&) { --asleep; };
  wake_once_asleep(process, [] { EXPECT_EQ(asleep, 1); });
  EXPECT_EQ(asleep, 0);
  EXPECT_GE(sleeps, 1U);
}

// It would poll for years otherwise.
TEST(Worker, SleepsAtOnceWhereItsCoreIsWanted) {
  Process process;
  process.hooks().core_is_wanted = [](Worker&) { return true; };
  constexpr std::uint64_t kYears = std::uint64_t{1} << 62;
  wake_once_asleep(process, [] {}, {.spin_ticks = kYears, .idle_spin_ticks = kYears});
}

}  // namespace
}  // namespace weft::runtime

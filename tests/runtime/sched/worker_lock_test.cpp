// Threads of ranks take turns at their worker.
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/thread_calls.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/job_fixture.hpp"

namespace weft::runtime {
namespace {

constexpr std::uint32_t kContext = 3;

class WorkerLocks : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, WorkerLocks, kSettings, name_of);

Buffer buffer_of(int& value) { return {.base = &value, .bytes = sizeof value}; }

void send(Rank& me, Rank& to, int tag, int value) {
  Request request;
  request.prepare_send(me, {kContext, static_cast<int>(number(me.id)), tag}, static_cast<int>(number(to.id)),
                       buffer_of(value));
  start_send(to, SendMode::synchronous, request);
  wait(me, request);
}

int receive(Rank& me, int from, int tag) {
  int value = -1;
  Request request;
  start_receive(me, {kContext, from, tag}, buffer_of(value), request);
  wait(me, request);
  return value;
}

// The first call of a rank: another rank of its worker may have made the same call before.
void let_threads_call(Rank& me) {
  resume_call();
  allow_threads(me);
  leave_call();
}

// A call of the layer above: on a rank's own fibre, or of one of its threads. Its worker may come to be shared
// meanwhile.
template <typename Body>
void in_call(Rank& me, Body&& body) {
  if (Worker::current() == nullptr && !resume_call()) {
    begin_call(me);
  }
  body();
  if (Worker::current()->lock() != nullptr) {
    leave_call();
  }
}

template <typename Body>
void in_threads(Rank& me, int count, const Body& body) {
  me.has_threads = true;
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] { body(t); });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

TEST_P(WorkerLocks, ThreadsWaitWhileTheirRankIsAway) {
  EXPECT_EQ(run(4,
                [](Rank& me) {
                  let_threads_call(me);
                  Rank& next = me.job.rank((number(me.id) + 1) % 4);
                  const int from = static_cast<int>(number(me.id) + 3) % 4;
                  in_threads(me, 3, [&](int t) {
                    for (int i = 0; i < 30; ++i) {
                      in_call(me, [&] {
                        EXPECT_TRUE(is_thread_call());
                        EXPECT_EQ(current_rank(), &me);
                        if ((number(me.id) + static_cast<unsigned>(t)) % 2 == 0) {
                          send(me, next, t, i);
                          EXPECT_EQ(receive(me, from, t), i);
                        } else {
                          EXPECT_EQ(receive(me, from, t), i);
                          send(me, next, t, i);
                        }
                      });
                      EXPECT_EQ(Worker::current(), nullptr);
                    }
                  });
                  EXPECT_EQ(current_rank(), &me);
                  return 0;
                }),
            0);
}

// One thread at a time is in a call on a worker.
TEST_P(WorkerLocks, OneThreadHoldsTheLock) {
  std::vector<int> inside(4);
  EXPECT_EQ(run(8,
                [&](Rank& me) {
                  let_threads_call(me);
                  const auto count = [&] {
                    int& here = inside[number(Worker::current()->id())];
                    EXPECT_EQ(here, 0);
                    ++here;
                    std::this_thread::yield();
                    --here;
                  };
                  in_threads(me, 2, [&](int) {
                    for (int i = 0; i < 50; ++i) {
                      in_call(me, count);
                    }
                  });
                  for (int i = 0; i < 50; ++i) {
                    in_call(me, [&] {
                      count();
                      yield(me);
                      count();
                    });
                  }
                  return 0;
                }),
            0);
}

// In how many parallel regions the calling thread is, as OpenMP's library would say.
[[gnu::noinline]] int& regions_of_thread() {
  static thread_local int regions = 0;
  asm volatile("" ::: "memory");  // a rank may have come to another thread
  return regions;
}

class Regions {
 public:
  Regions() {
    parallel_regions = [] { return regions_of_thread(); };
  }
  ~Regions() { parallel_regions = nullptr; }
  Regions(const Regions&) = delete;
  Regions& operator=(const Regions&) = delete;
};

TEST_P(WorkerLocks, ARankThatWaitsInAParallelRegionKeepsItsThread) {
  const Regions regions;
  EXPECT_EQ(run(5,
                [](Rank& me) {
                  Rank& next = me.job.rank((number(me.id) + 1) % 5);
                  const int from = static_cast<int>(number(me.id) + 4) % 5;
                  for (int i = 0; i < 20; ++i) {
                    EXPECT_EQ(regions_of_thread()++, 0) << "another rank's region";
                    const std::thread::id thread = std::this_thread::get_id();
                    in_call(me, [&] {
                      Request request;
                      request.prepare_send(me, {kContext, static_cast<int>(number(me.id)), i},
                                           static_cast<int>(number(next.id)), buffer_of(i));
                      start_send(next, SendMode::synchronous, request);
                      EXPECT_EQ(receive(me, from, i), i);
                      wait(me, request);
                      yield(me);
                    });
                    EXPECT_EQ(std::this_thread::get_id(), thread);
                    EXPECT_EQ(regions_of_thread()--, 1);
                  }
                  return 0;
                }),
            0);
}

TEST_P(WorkerLocks, TeamsMeetWhileOtherThreadsCall) {
  EXPECT_EQ(run(6,
                [](Rank& me) {
                  let_threads_call(me);
                  std::atomic<bool> over = false;
                  me.has_threads = true;
                  std::thread poller([&] {
                    while (!over) {
                      in_call(me, [&] { yield(me); });
                    }
                  });
                  for (int i = 0; i < 50; ++i) {
                    in_call(me, [&] { me.teams.front()->barrier(me); });
                  }
                  over = true;
                  poller.join();
                  return 0;
                }),
            0);
}

// Once its threads call, the program finds a rank on the same thread after every call.
TEST_P(WorkerLocks, ARankWhoseThreadsCallStaysWithItsThread) {
  EXPECT_EQ(run(6,
                [](Rank& me) {
                  let_threads_call(me);
                  in_threads(me, 1, [&](int) { in_call(me, [] {}); });
                  const std::thread::id self = std::this_thread::get_id();
                  for (int i = 0; i < 20; ++i) {
                    in_call(me, [&] { me.teams.front()->barrier(me); });
                    EXPECT_EQ(std::this_thread::get_id(), self);
                  }
                  in_call(me, [&] { EXPECT_FALSE(me.job.migrate(me)); });
                  return 0;
                }),
            0);
}

// The other ranks come to the step only once they have got a message from a thread of a rank that waits there.
TEST_P(WorkerLocks, AThreadMayCallFirstWhileItsRankIsInAStep) {
  EXPECT_EQ(run(4,
                [](Rank& me) {
                  let_threads_call(me);
                  if (number(me.id) == 0) {
                    me.has_threads = true;
                    std::thread late([&] {
                      std::this_thread::sleep_for(std::chrono::milliseconds(20));
                      in_call(me, [&] {
                        for (std::uint32_t other = 1; other < 4; ++other) {
                          send(me, me.job.rank(other), 0, 7);
                        }
                      });
                    });
                    in_call(me, [&] { EXPECT_FALSE(me.job.migrate(me)); });
                    late.join();
                  } else {
                    in_call(me, [&] {
                      EXPECT_EQ(receive(me, 0, 0), 7);
                      EXPECT_FALSE(me.job.migrate(me));
                    });
                  }
                  return 0;
                }),
            0);
}

// By rotate rank 0 comes to workers where another rank is about to go on, or waits, which no thread could call yet.
TEST_P(WorkerLocks, AWorkerIsSharedOnceARankThatAllowsThreadsComesThere) {
  EXPECT_EQ(run(5,
                [](Rank& me) {
                  in_call(me, [&] {
                    if (number(me.id) == 0) {
                      allow_threads(me);
                    }
                  });
                  for (int i = 0; i < 20; ++i) {
                    in_call(me, [&] {
                      me.job.migrate(me);
                      EXPECT_EQ(current_rank(), &me);
                      me.teams.front()->barrier(me);
                    });
                    EXPECT_EQ(current_rank(), &me);
                  }
                  if (number(me.id) == 0) {
                    in_threads(me, 1, [&](int) { in_call(me, [&] { EXPECT_EQ(current_rank(), &me); }); });
                  }
                  return 0;
                }),
            0);
}

TEST_P(WorkerLocks, ReadersOfProbesWakeTogether) {
  EXPECT_EQ(run(2,
                [](Rank& me) {
                  let_threads_call(me);
                  Rank& other = me.job.rank(1 - number(me.id));
                  std::atomic<int> got = 0;
                  in_threads(me, 3, [&](int t) {
                    in_call(me, [&] {
                      if (t == 0) {
                        send(me, other, 1, 10);
                        send(me, other, 1, 20);
                        return;
                      }
                      Probed found;
                      Envelope* const message = wait_match(me, {kContext, kAnySource, kAnyTag}, found);
                      int value = 0;
                      Request request;
                      receive_matched(me, *message, buffer_of(value), request);
                      wait(me, request);
                      got += value;
                    });
                  });
                  EXPECT_EQ(got, 30);
                  return 0;
                }),
            0);
}

}  // namespace
}  // namespace weft::runtime

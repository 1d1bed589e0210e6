#include "runtime/sched/main_thread.hpp"

#include <gtest/gtest.h>

namespace weft::runtime {
namespace {

TEST(MainThread, IsBusyUntilItHasRunWhatWasPosted) {
  MainThread main_thread(1);
  EXPECT_FALSE(main_thread.is_busy());
  bool was_busy = false;
  main_thread.post([&] {
    was_busy = main_thread.is_busy();
    main_thread.end();
  });
  EXPECT_TRUE(main_thread.is_busy());
  EXPECT_EQ(main_thread.run([] { return true; }), "");
  EXPECT_TRUE(was_busy);
  EXPECT_FALSE(main_thread.is_busy());
}

// all_asleep() may return something else after a task, although no worker wakes.
TEST(MainThread, AsksAgainAfterATaskWhileAllWorkersSleep) {
  MainThread main_thread(1);
  main_thread.worker_sleeps();
  int asked = 0;
  EXPECT_EQ(main_thread.run([&] {
    if (++asked == 1) {
      main_thread.post([] {});
    } else {
      main_thread.end();
    }
    return true;
  }),
            "");
  EXPECT_EQ(asked, 2);
}

// A worker that wakes and then waits for threads of ranks is not counted: it does not sleep.
TEST(MainThread, KnowsWhetherAllWorkersHaveSleptMeanwhile) {
  MainThread main_thread(2);
  main_thread.worker_sleeps();
  EXPECT_FALSE(main_thread.all_slept_since(main_thread.sleeps()));
  main_thread.worker_sleeps();
  const std::uint64_t before = main_thread.sleeps();
  EXPECT_TRUE(main_thread.all_slept_since(before));
  main_thread.worker_wakes();
  EXPECT_FALSE(main_thread.all_slept_since(before)) << "it waits for others' calls";
  main_thread.worker_sleeps();
  EXPECT_FALSE(main_thread.all_slept_since(before)) << "it sleeps again";
  EXPECT_TRUE(main_thread.all_slept_since(main_thread.sleeps()));
}

}  // namespace
}  // namespace weft::runtime

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

}  // namespace
}  // namespace weft::runtime

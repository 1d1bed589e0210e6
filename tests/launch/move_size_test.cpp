// How often a rank's bytes to move are counted: seldom, and never for more than a small part of the time.
#include "launch/move_size.hpp"

#include <gtest/gtest.h>

namespace weft::launch::test {
namespace {

// Calls count_is_due() `calls` times, one tick after each other from `from` on. Each count takes `ticks`. Returns how
// many calls have counted.
int counts_in(MoveSize& size, std::uint64_t from, int calls, std::uint64_t ticks) {
  int counts = 0;
  for (int call = 0; call < calls; ++call) {
    const std::uint64_t now = from + static_cast<std::uint64_t>(call);
    if (size.count_is_due(now)) {
      size.record_count(now, now, now + ticks);
      ++counts;
    }
  }
  return counts;
}

TEST(MoveSize, IsCountedAtEverySixteenthCall) {
  MoveSize size;
  EXPECT_EQ(counts_in(size, 1000, 1, 0), 1);
  EXPECT_EQ(size.bytes(), 1000U);
  EXPECT_EQ(counts_in(size, 1001, 15, 0), 0);
  EXPECT_EQ(counts_in(size, 1016, 1, 0), 1);
  EXPECT_EQ(size.bytes(), 1016U);
}

TEST(MoveSize, IsNotCountedAgainBefore500TimesAsLongHasPassed) {
  MoveSize size;
  EXPECT_EQ(counts_in(size, 0, 1, 10), 1);
  EXPECT_EQ(counts_in(size, 1, 4991, 10), 0);
  EXPECT_EQ(counts_in(size, 5010, 16, 10), 1);  // 5000 ticks after it ended
}

}  // namespace
}  // namespace weft::launch::test

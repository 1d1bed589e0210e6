// A worker's times without work: each part of one is used once, in any order.
#include "sim/idle_times.hpp"

#include <gtest/gtest.h>

namespace weft::sim::test {
namespace {

TEST(IdleTimes, ServeOnce) {
  IdleTimes times;
  times.add(1.0, 3.0);
  EXPECT_DOUBLE_EQ(times.use(0.0, 2.0, 5.0), 1.0);  // what lies between both
  EXPECT_DOUBLE_EQ(times.use(0.0, 2.0, 5.0), 0.0);
  EXPECT_DOUBLE_EQ(times.use(0.0, 9.0, 0.25), 0.25);
  EXPECT_DOUBLE_EQ(times.use(0.0, 9.0, 5.0), 0.75);
}

TEST(IdleTimes, BothSidesOfAUsedPartStillServe) {
  IdleTimes times;
  times.add(0.0, 8.0);
  EXPECT_DOUBLE_EQ(times.use(4.0, 6.0, 1.0), 1.0);
  EXPECT_DOUBLE_EQ(times.use(0.0, 4.0, 9.0), 4.0);
  EXPECT_DOUBLE_EQ(times.use(0.0, 9.0, 9.0), 3.0);
}

TEST(IdleTimes, SeveralServeTogether) {
  IdleTimes times;
  times.add(0.0, 1.0);
  times.add(2.0, 3.0);
  times.add(4.0, 5.0);
  EXPECT_DOUBLE_EQ(times.use(0.5, 9.0, 2.0), 2.0);
  EXPECT_DOUBLE_EQ(times.use(0.0, 9.0, 9.0), 1.0);
}

// However often times are divided, only some of the last ones are kept.
TEST(IdleTimes, TheOldestAreDropped) {
  IdleTimes times;
  for (int i = 0; i < 1000; ++i) {
    const double begin = 10.0 * i;
    times.add(begin, begin + 8.0);
    EXPECT_DOUBLE_EQ(times.use(begin + 2.0, begin + 4.0, 9.0), 2.0);
  }
  const double left = times.use(0.0, 1e6, 1e6);
  EXPECT_GE(left, 6.0 * 8);
  EXPECT_LE(left, 6.0 * 33);
}

}  // namespace
}  // namespace weft::sim::test

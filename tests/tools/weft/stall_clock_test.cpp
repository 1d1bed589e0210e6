#include "tools/weft/stall_clock.hpp"

#include <chrono>

#include <gtest/gtest.h>

namespace weft::tools::weft_tool {
namespace {

constexpr std::chrono::seconds kSecond(1);

class StallClockTest : public testing::Test {
 protected:
  // What the clock says so long after the first update.
  std::optional<StallClock::Clock::duration> update(int at, const JobProgress& progress) {
    return clock_.update(progress, start_ + at * kSecond);
  }

 private:
  const StallClock::Clock::time_point start_ = StallClock::Clock::now();
  StallClock clock_{60 * kSecond};
};

TEST_F(StallClockTest, SaysOnceThatAJobStandsStill) {
  EXPECT_FALSE(update(0, {{0, 5}, {1, 7}}));
  EXPECT_FALSE(update(59, {{0, 5}, {1, 7}}));
  EXPECT_EQ(update(61, {{0, 5}, {1, 7}}), 61 * kSecond);
  EXPECT_FALSE(update(200, {{0, 5}, {1, 7}}));
}

TEST_F(StallClockTest, SaysSoAgainOnceTheJobHasGoneOn) {
  EXPECT_FALSE(update(0, {{0, 5}, {1, 7}}));
  EXPECT_TRUE(update(60, {{0, 5}, {1, 7}}));
  EXPECT_FALSE(update(70, {{0, 5}, {1, 8}}));
  EXPECT_FALSE(update(129, {{0, 5}, {1, 8}}));
  EXPECT_EQ(update(130, {{0, 5}, {1, 8}}), 60 * kSecond);
}

TEST_F(StallClockTest, AProcessThatGetsOnIsEnough) {
  for (int at = 0; at < 300; at += 30) {
    EXPECT_FALSE(update(at, {{0, 5}, {1, static_cast<std::uint64_t>(at)}}));
  }
}

TEST_F(StallClockTest, AProcessThatDoesNotAnswerIsAsItWas) {
  EXPECT_FALSE(update(0, {}));
  EXPECT_FALSE(update(100, {}));  // no process has been seen yet
  EXPECT_FALSE(update(110, {{0, 5}, {1, 7}}));
  EXPECT_FALSE(update(120, {{0, 5}}));
  EXPECT_FALSE(update(150, {{0, 5}, {1, 7}}));
  EXPECT_EQ(update(170, {{1, 7}}), 60 * kSecond);
}

}  // namespace
}  // namespace weft::tools::weft_tool

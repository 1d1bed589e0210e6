// When images are written for --survive, and whether there is room for them.
#include "runtime/lbstep/survival_images.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <memory>
#include <string>

namespace weft::runtime {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

TEST(ImageSchedule, KeepsTheInterval) {
  ImageSchedule schedule(30, 100, 0);
  EXPECT_FALSE(schedule.is_due(129.9, false));
  EXPECT_TRUE(schedule.is_due(130, false));
  schedule.written(131);
  EXPECT_FALSE(schedule.is_due(160.9, false));
  EXPECT_TRUE(schedule.is_due(161, false));
  schedule.failed(161);
  EXPECT_FALSE(schedule.is_due(190, false));
}

TEST(ImageSchedule, WritesToTheOtherPlaceOnceOneIsWhole) {
  ImageSchedule schedule(0, 0, 1);
  EXPECT_EQ(schedule.index(), 1U);
  schedule.failed(1);
  EXPECT_EQ(schedule.index(), 1U);
  schedule.written(2);
  EXPECT_EQ(schedule.index(), 0U);
  schedule.written(3);
  EXPECT_EQ(schedule.index(), 1U);
}

TEST(ImageSchedule, LeavesEachSecondStepToTheBalancer) {
  ImageSchedule schedule(0, 0, 0);
  EXPECT_TRUE(schedule.is_due(1, true));
  EXPECT_FALSE(schedule.is_due(2, true));
  EXPECT_TRUE(schedule.is_due(3, true));
  EXPECT_TRUE(schedule.is_due(4, false));
  EXPECT_FALSE(schedule.is_due(5, true));
}

TEST(ImageSchedule, LooksAgainWhenHalfOfTheTimeIsOver) {
  ImageSchedule schedule(1, 0, 0);
  EXPECT_EQ(schedule.next_call(1, 0.05), 2U);  // nothing is known of calls yet
  EXPECT_EQ(schedule.next_call(2, 0.15), 6U);  // one in 0.1 s, 0.85 s are left
  EXPECT_EQ(schedule.next_call(6, 0.55), 8U);  // 0.45 s are left
  EXPECT_EQ(schedule.next_call(8, 0.75), 9U);
  EXPECT_EQ(schedule.next_call(9, 1.2), 10U);  // too late
  EXPECT_EQ(schedule.next_call(9, 1.2), 10U);  // a rank has asked for a checkpoint in between
}

TEST(ImageSchedule, LooksAgainSoonWhereItIsPostponed) {
  ImageSchedule schedule(30, 100, 0);
  EXPECT_TRUE(schedule.is_due(131, false));
  schedule.postpone(131);
  EXPECT_FALSE(schedule.is_due(131.9, false));
  EXPECT_TRUE(schedule.is_due(132, false));
  schedule.written(132);
  schedule.postpone(140);  // who asked cannot have one
  EXPECT_FALSE(schedule.is_due(161.9, false));
  EXPECT_TRUE(schedule.is_due(162, false));
}

TEST(ImageSchedule, LooksAgainWithinASecond) {
  ImageSchedule schedule(3600, 0, 0);
  schedule.next_call(1, 0.25);
  EXPECT_EQ(schedule.next_call(2, 0.5), 6U);   // one in 0.25 s
  EXPECT_EQ(schedule.next_call(6, 14.5), 7U);  // they take longer now
}

TEST(ImageSchedule, DoesNotLookFarAhead) {
  ImageSchedule schedule(3600, 0, 0);
  schedule.next_call(1, 0.001);
  EXPECT_EQ(schedule.next_call(2, 0.002), 66U);
}

// A request for three processes that is replaced by one for five while the job considers it.
class ReplacedRequest : public testing::Test {
 protected:
  ReplacedRequest() {
    config_.survive = 3600;
    config_.resize_request = std::make_shared<ResizeRequest>();
    config_.resize_request->ask(placement::NextProcesses(3));
  }
  // `answer`: why the three are not possible.
  void consider(const std::string& answer, const StepFacts& facts = {}) {
    config_.may_change = [this, answer](const placement::NextProcesses&) {
      config_.resize_request->ask(placement::NextProcesses(5));
      return answer;
    };
    EXPECT_THAT(SurvivalImages(config_).begin_step(facts, false), IsEmpty());
  }

  JobConfig config_;
};

TEST_F(ReplacedRequest, IsNotRefusedForTheOneBefore) {
  consider("there is no room for three");
  EXPECT_EQ(config_.resize_request->wanted().size(), 5U);
  EXPECT_THAT(config_.resize_request->refusal(), IsEmpty());
}

TEST_F(ReplacedRequest, IsNotRefusedForAFailedImage) {
  consider("", {.pinned = "rank 1 holds a file"});
  EXPECT_EQ(config_.resize_request->wanted().size(), 5U);
  EXPECT_THAT(config_.resize_request->refusal(), IsEmpty());
}

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

TEST(ImageRoom, IsForTwoImages) {
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 0, .left = 220 * kMiB, .longest = RLIM_INFINITY}), IsEmpty());
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 0, .left = 205 * kMiB, .longest = RLIM_INFINITY}),
              HasSubstr("two images of up to 100.0 MiB need 200.0 MiB more of memory, and 192.2 MiB can be used"));
}

TEST(ImageRoom, CountsWhatImagesHaveAlready) {
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 200 * kMiB, .left = 0, .longest = RLIM_INFINITY}), IsEmpty());
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 300 * kMiB, .left = 0, .longest = RLIM_INFINITY}), IsEmpty());
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 150 * kMiB, .left = 49 * kMiB, .longest = RLIM_INFINITY}),
              HasSubstr("need 50.0 MiB more"));
}

TEST(ImageRoom, KnowsTheLongestFile) {
  EXPECT_THAT(why_no_room({.image = 100 * kMiB, .held = 0, .left = 9000 * kMiB, .longest = 99 * kMiB}),
              HasSubstr("an image may have up to 100.0 MiB, and files may have 99.0 MiB"));
}

}  // namespace
}  // namespace weft::runtime

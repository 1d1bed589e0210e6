#include "tools/weft/top_text.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tools/weft/job_query.hpp"

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

TopFrame frame_of_two() {
  TopFrame frame;
  frame.job.job = "77";
  frame.job.ranks = 3;
  frame.job.workers = 2;
  frame.job.processes = 2;
  frame.view.seconds = 2;
  frame.view.ranks = {
      {.rank = 0,
       .worker = 0,
       .activity = Activity::waits,
       .call = "MPI_Recv",
       .cpu = 0.123,
       .messages = 12345,
       .bytes = 1.5e6,
       .memory = 3 << 20,
       .moves = 4},
      {.rank = 12, .worker = 1, .process = 1, .activity = Activity::computes, .call = "MPI_Barrier", .cpu = 1}};
  frame.view.workers = {{.worker = 0, .process = 0, .ranks = 1, .load = 0.123, .background = 0.5, .asleep = 0.25},
                        {.worker = 1, .process = 1, .ranks = 1, .load = 1}};
  frame.view.totals.by_activity[static_cast<std::size_t>(Activity::waits)] = 1;
  frame.view.totals.by_activity[static_cast<std::size_t>(Activity::computes)] = 1;
  frame.view.totals.ended = 1;
  frame.view.totals.load = 1.123;
  frame.view.totals.memory = 3 << 20;
  frame.view.totals.memory_ranks = 1;
  return frame;
}

TEST(TopText, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(0.25), "0.2");
  EXPECT_EQ(short_number(987), "987");
  EXPECT_EQ(short_number(999.9), "1.0k");
  EXPECT_EQ(short_number(12345), "12.3k");
  EXPECT_EQ(short_number(1.5e6), "1.5M");
  EXPECT_EQ(short_number(3 << 20, 1024), "3M");
  EXPECT_EQ(short_number(1 << 20, 1024), "1M");
  EXPECT_EQ(short_number(1023, 1024), "1023");
}

TEST(TopText, TheHeadHasTheTotals) {
  const std::vector<std::string> lines = head_lines(frame_of_two());
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0], StartsWith("job 77: 3 ranks (waits 1, computes 1, ended 1), 2 workers in 2 processes, "));
  EXPECT_THAT(lines[1], StartsWith("load 1.12 of 2 workers, 0 messages/s, 0 bytes/s, memory 3M of 1 ranks, 0 moves"));
}

TEST(TopText, TablesHaveColumns) {
  const TopFrame frame = frame_of_two();
  EXPECT_THAT(rank_lines(frame.view.ranks, 10),
              ElementsAre("   RANK WORKER STATE    CALL                        CPU   MSGS/S  BYTES/S   MEMORY  MOVES",
                          "      0      0 waits    MPI_Recv                   12 %    12.3k     1.5M       3M      4",
                          "     12      1 computes (MPI_Barrier)             100 %        0        0        -      0"));
  EXPECT_THAT(rank_lines(frame.view.ranks, 10, 80),
              ElementsAre("   RANK WORKER STATE    CALL               CPU   MSGS/S  BYTES/S   MEMORY  MOVES",
                          "      0      0 waits    MPI_Recv          12 %    12.3k     1.5M       3M      4",
                          "     12      1 computes (MPI_Barrier)    100 %        0        0        -      0"));
  EXPECT_THAT(worker_lines(frame.view.workers, 10), ElementsAre("WORKER PROCESS  RANKS   LOAD BACKGROUND ASLEEP",
                                                                "     0       0      1   12 %       50 %   25 %",
                                                                "     1       1      1  100 %        0 %    0 %"));
}

TEST(TopText, TablesSayHowManyRowsThereAreMore) {
  const TopFrame frame = frame_of_two();
  const std::vector<std::string> lines = rank_lines(frame.view.ranks, 1);
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[2], "and 1 more rank");
  EXPECT_EQ(worker_lines(frame.view.workers, 0).back(), "and 2 more workers");
}

TEST(TopText, JsonIsOneLine) {
  TopFrame frame = frame_of_two();
  frame.remarks = {"process 1 does not \"answer\""};
  const std::string json = top_json(frame, frame.view.ranks);
  EXPECT_EQ(json.find('\n'), json.size() - 1);
  EXPECT_THAT(json, HasSubstr(R"("remarks": ["process 1 does not \"answer\""])"));
  EXPECT_THAT(json, HasSubstr(R"("state": "waits", "call": "MPI_Recv", "cpu": 0.1230)"));
  EXPECT_THAT(json, HasSubstr(R"("memory": null)"));
  EXPECT_THAT(json, HasSubstr(R"("unknown": 0, "ended": 1}, "load": 1.1230)"));
}

TEST(TopText, JsonIsAsciiWhateverAProgramIsCalled) {
  EXPECT_EQ(json_text(std::string_view("\0b", 2)), R"("\u0000b")");
  EXPECT_EQ(json_text("a\n\"\x1b[2J\x7f\xc2\x9b\xc3\xa4"), R"("a\n\"\u001b[2J\u007f\u009b\u00e4")");
  EXPECT_EQ(json_text("\xff\xc2"), R"("\ufffd\ufffd")") << "no UTF-8";
}

}  // namespace
}  // namespace weft::tools::weft_tool

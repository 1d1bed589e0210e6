#include "tools/weft/top_rows.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::tools::weft_tool {
namespace {

using inspect::Activity;
using ::testing::ElementsAre;

std::vector<RankRow> four_ranks() {
  return {
      {.rank = 0, .worker = 1, .activity = Activity::waits, .call = "MPI_Recv", .cpu = 0.1, .messages = 5, .moves = 2},
      {.rank = 1, .worker = 0, .activity = Activity::computes, .call = "MPI_Barrier", .cpu = 0.9, .memory = 7},
      {.rank = 2, .worker = 1, .activity = Activity::waits, .call = "MPI_Irecv", .cpu = 0.1, .bytes = 8, .memory = 70},
      {.rank = 3, .worker = 7, .activity = Activity::blocked, .call = "main", .cpu = 0.5}};
}

std::vector<std::uint32_t> numbers_of(const std::vector<RankRow>& ranks) {
  std::vector<std::uint32_t> numbers;
  for (const RankRow& rank : ranks) {
    numbers.push_back(rank.rank);
  }
  return numbers;
}

std::vector<std::uint32_t> sorted(const std::string& key, bool reverse = false) {
  std::vector<RankRow> ranks = four_ranks();
  sort_ranks(ranks, parse_sort_key(key), reverse);
  return numbers_of(ranks);
}

std::vector<std::uint32_t> passing(const std::string& filter) {
  std::vector<RankRow> ranks = four_ranks();
  const RankFilter parsed = parse_filter(filter);
  std::erase_if(ranks, [&](const RankRow& rank) { return !parsed.passes(rank); });
  return numbers_of(ranks);
}

TEST(TopRows, AreSortedByEachKey) {
  EXPECT_THAT(sorted("cpu"), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(sorted("cpu", true), ElementsAre(0, 2, 3, 1));
  EXPECT_THAT(sorted("rank"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sorted("rank", true), ElementsAre(3, 2, 1, 0));
  EXPECT_THAT(sorted("worker"), ElementsAre(1, 0, 2, 3));
  EXPECT_THAT(sorted("state"), ElementsAre(3, 1, 0, 2));
  EXPECT_THAT(sorted("call"), ElementsAre(1, 2, 0, 3));
  EXPECT_THAT(sorted("messages"), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sorted("bytes"), ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(sorted("memory"), ElementsAre(2, 1, 0, 3));  // unknown last
  EXPECT_THAT(sorted("moves"), ElementsAre(0, 1, 2, 3));
}

TEST(TopRows, PassWhatTheFilterAsksFor) {
  EXPECT_THAT(passing(""), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(passing("state=waits"), ElementsAre(0, 2));
  EXPECT_THAT(passing("call=recv"), ElementsAre(0, 2));
  EXPECT_THAT(passing("call=MPI_Recv"), ElementsAre(0));
  EXPECT_THAT(passing("rank=1-2"), ElementsAre(1, 2));
  EXPECT_THAT(passing("worker=0,5-9"), ElementsAre(1, 3));
  EXPECT_THAT(passing("  worker=1   state=waits rank=2,3 "), ElementsAre(2));
}

TEST(TopRows, RefuseWhatTheyDoNotKnow) {
  EXPECT_THROW(parse_sort_key("size"), std::runtime_error);
  for (const char* const bad : {"waits", "state=", "state=sleeps", "rank=a", "rank=1-", "rank=1,,2", "rank=-1",
                                "worker=99999999999", "colour=red", "="}) {
    EXPECT_THROW(parse_filter(bad), std::runtime_error) << bad;
  }
}

TEST(TopRows, HaveALetterForEachKey) {
  std::string letters = "qRf ";
  for (const SortKey& key : sort_keys()) {
    EXPECT_EQ(letters.find(key.letter), std::string::npos) << key.name;
    letters += key.letter;
    EXPECT_EQ(parse_sort_key(key.name), key.by);
  }
}

}  // namespace
}  // namespace weft::tools::weft_tool

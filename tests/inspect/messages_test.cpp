// Questions and answers are the same after packing and unpacking.
#include "inspect/messages.hpp"

#include <cstddef>
#include <vector>

#include <gtest/gtest.h>

namespace weft::inspect {
namespace {

TEST(Messages, QuestionsAreOfOneSize) {
  Question facts, counters{.subject = Subject::counters, .processes = 7, .host = {'h'}};
  const std::vector<std::byte> bytes = pup::pack(counters);
  EXPECT_EQ(bytes.size(), pup::pack(facts).size());
  Question got;
  pup::unpack(bytes, got);
  EXPECT_EQ(got.subject, Subject::counters);
  EXPECT_EQ(got.processes, 7U);
  EXPECT_EQ(got.host, counters.host);
  EXPECT_EQ(got.version, kVersion);
}

TEST(Messages, CountersComeWhole) {
  Counters sent;
  sent.process.job = "12@host";
  sent.process.hosts = {"host", "other"};
  sent.at = 3.5;
  sent.calls = {"main", "MPI_Recv"};
  sent.workers = {{.worker = 4,
                   .at = 9,
                   .ran = 1,
                   .slept = 2,
                   .blocked = 3,
                   .waited = 4,
                   .is_bound = true,
                   .core_idle = 5,
                   .core_stolen = 6}};
  sent.ranks = {{.rank = 7,
                 .worker = 4,
                 .activity = Activity::blocked,
                 .call = 1,
                 .seconds = 0.5,
                 .messages = 11,
                 .bytes = 12,
                 .memory = 13,
                 .moves = 14},
                {}};
  sent.ended = 3;
  Counters got;
  pup::unpack(pup::pack(sent), got);
  EXPECT_EQ(got.process.job, sent.process.job);
  EXPECT_EQ(got.process.hosts, sent.process.hosts);
  EXPECT_EQ(got.at, sent.at);
  EXPECT_EQ(got.calls, sent.calls);
  EXPECT_EQ(got.ended, sent.ended);
  ASSERT_EQ(got.workers.size(), 1U);
  EXPECT_TRUE(got.workers[0].is_bound);
  EXPECT_EQ(got.workers[0].core_stolen, 6);
  ASSERT_EQ(got.ranks.size(), 2U);
  EXPECT_EQ(got.ranks[0].activity, Activity::blocked);
  EXPECT_EQ(got.ranks[0].call, 1U);
  EXPECT_EQ(got.ranks[0].seconds, 0.5);
  EXPECT_EQ(got.ranks[0].bytes, 12U);
  EXPECT_EQ(got.ranks[0].moves, 14U);
  EXPECT_EQ(got.ranks[1].memory, RankCounters::kUnknown);
}

}  // namespace
}  // namespace weft::inspect

// Events of many workers are merged into one order; context numbers are resolved to communicators.
#include "trace/sequence.hpp"

#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/chrome.hpp"
#include "trace/communicators.hpp"
#include "trace/writer.hpp"

namespace weft::trace {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

class SequenceTest : public testing::Test {
 protected:
  void TearDown() override {
    for (const std::string& file : files_) {
      std::filesystem::remove(file);
    }
  }

  std::string file_of(Buffer& buffer) {
    files_.push_back(testing::TempDir() + "sequence_" + std::to_string(getpid()) + "_" + std::to_string(files_.size()) +
                     ".part");
    std::ofstream(files_.back(), std::ios::binary) << buffer.contents();
    buffer.clear();
    return files_.back();
  }
  std::string file_of(const std::vector<Event>& events) {
    Buffer buffer;
    for (const Event& event : events) {
      buffer.add(event);
    }
    return file_of(buffer);
  }

  // The host's real-time clock is at `nanoseconds` when its tick counter is 0.
  ProcessFiles part(std::uint32_t host, std::int64_t nanoseconds, const std::vector<Event>& worker) {
    return {.clock = {.host = host,
                      .begin = {0, nanoseconds},
                      .end = {static_cast<std::uint64_t>(kSecond), nanoseconds + kSecond},
                      .ticks_per_second = static_cast<std::uint64_t>(kSecond)},
            .host_name = "host",
            .workers = {file_of(worker)},
            .job = file_of(std::vector<Event>{})};
  }

  // Worker and tag of each event.
  static std::vector<std::pair<std::uint32_t, std::int32_t>> order(const std::vector<ProcessFiles>& parts) {
    Names names;
    Sequence sequence(parts, names);
    std::vector<std::pair<std::uint32_t, std::int32_t>> result;
    Event event;
    for (std::uint32_t worker = 0; sequence.next(worker, event);) {
      result.emplace_back(worker, event.tag);
    }
    return result;
  }

 private:
  std::vector<std::string> files_;
};

Event sent(std::uint64_t time, std::uint32_t rank, std::int32_t tag) {
  return {.kind = EventKind::sent, .time = time, .rank = RankId{rank}, .tag = tag};
}

Event moves(std::uint64_t time, std::uint32_t rank, std::uint32_t to) {
  return {.kind = EventKind::move, .time = time, .rank = RankId{rank}, .peer = to};
}

Event takes(std::uint64_t time, std::uint32_t rank, std::uint32_t from) {
  return {.kind = EventKind::stolen, .time = time, .rank = RankId{rank}, .peer = from};
}

using Order = std::vector<std::pair<std::uint32_t, std::int32_t>>;

TEST_F(SequenceTest, MergesByTime) {
  const std::vector<ProcessFiles> parts{part(0, 0, {sent(10, 0, 1), sent(30, 0, 3)}),
                                        part(0, 0, {sent(20, 1, 2), sent(40, 1, 4)})};
  EXPECT_EQ(order(parts), (Order{{0, 1}, {1, 2}, {0, 3}, {1, 4}}));
}

// The other host's clock is 1.5 µs late: what rank 0 does there seems to be before it came.
TEST_F(SequenceTest, KeepsTheOrderOfARankThatMoves) {
  const std::vector<ProcessFiles> parts{part(0, 0, {sent(1000, 0, 1), moves(2000, 0, 1), sent(5000, 2, 5)}),
                                        part(1, -1500, {sent(3000, 0, 3), moves(3500, 0, 0), sent(4000, 1, 4)})};
  EXPECT_EQ(order(parts), (Order{{0, 1}, {0, 0}, {1, 3}, {1, 0}, {1, 4}, {0, 5}}));
}

// Worker 1 steals rank 0, for which worker 0 has no event, and sends it back; worker 0 runs rank 1 meanwhile.
TEST_F(SequenceTest, KeepsTheOrderOfARankThatWasTaken) {
  const std::vector<ProcessFiles> parts{
      part(0, 0, {sent(10, 0, 1), sent(20, 1, 2), sent(60, 1, 5), sent(70, 0, 6)}),
      part(0, 0, {sent(5, 2, 0), takes(30, 0, 0), sent(40, 0, 4), moves(50, 0, 0), sent(80, 2, 7)})};
  EXPECT_EQ(order(parts), (Order{{1, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 4}, {1, 0}, {0, 5}, {0, 6}, {1, 7}}));
}

TEST_F(SequenceTest, GivesAllEventsEvenIfAMoveIsMissing) {
  const std::vector<ProcessFiles> parts{part(0, 0, {sent(10, 0, 1)}), part(0, 0, {sent(20, 0, 2), sent(30, 1, 3)}),
                                        part(0, 0, {sent(25, 0, 4)})};
  EXPECT_EQ(order(parts).size(), 4U);
}

TEST_F(SequenceTest, AMissingFileIsNamed) {
  std::vector<ProcessFiles> parts{part(0, 0, {})};
  parts[0].job = "no-such-file.part";
  Names names;
  try {
    const Sequence sequence(parts, names);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("no-such-file.part"));
  }
}

TEST(Communicators, AreGroupsAsText) {
  EXPECT_EQ(group_text({}), "");
  EXPECT_EQ(group_text({4}), "4");
  EXPECT_EQ(group_text({0, 1, 2, 5, 4, 6, 7}), "0-2,5,4,6-7");
}

TEST(Communicators, MeanWhatTheRanksHaveHeardLast) {
  Communicators comms;
  comms.define(0, "0-3 MPI_COMM_WORLD");
  comms.define(7, "0,2 even");
  comms.define(7, "3,1 odd");
  const auto name = [&](std::uint32_t rank) { return comms.all().at(comms.find(7, RankId{rank})).name; };
  EXPECT_EQ(name(0) + name(1) + name(2) + name(3), "evenoddevenodd");
  EXPECT_EQ(comms.peer(comms.find(7, RankId{1}), RankId{1}, 0), 3U);
  EXPECT_EQ(comms.find(8, RankId{0}), Communicators::kUnknown);
  EXPECT_EQ(comms.find(7, RankId{4}), Communicators::kUnknown);
  EXPECT_EQ(comms.find(Communicators::kSelfContext, RankId{2}), Communicators::kSelf);
  EXPECT_EQ(comms.peer(Communicators::kSelf, RankId{2}, 0), 2U);
  comms.define(7, "0-3 again");
  EXPECT_EQ(name(2), "again");
}

TEST(Communicators, OfTwoGroupsNumberTheOther) {
  Communicators comms;
  comms.define(5, "0-1/8,6 between");
  const std::uint32_t between = comms.find(5, RankId{6});
  EXPECT_EQ(comms.peer(between, RankId{0}, 1), 6U);
  EXPECT_EQ(comms.peer(between, RankId{6}, 1), 1U);
}

TEST(Communicators, OfADamagedTraceAreRefused) {
  Communicators comms;
  for (const char* const text : {"4294967295 last", "0-4294967295 all", "18446744073709551616 more", "3-1 reversed",
                                 "0-16777215,0 one too many"}) {
    EXPECT_THAT([&] { comms.define(5, text); },
                testing::ThrowsMessage<Error>(HasSubstr("the trace is damaged: it has a communicator of the ranks")))
        << text;
    EXPECT_EQ(comms.find(5, RankId{0}), Communicators::kUnknown);
  }
}

TEST(Chrome, DrawsArrowsBetweenRanksOfTheJob) {
  std::ostringstream out;
  Trace trace;
  trace.header = {.workers = 1, .ticks_per_second = 1000000};
  trace.names = {"5,3 half", "MPI_Bcast"};
  trace.workers = {
      {{.kind = EventKind::comm, .time = 1, .rank = RankId{5}, .name = 0, .comm = 9},
       {.kind = EventKind::start_send, .time = 2, .rank = RankId{5}, .peer = 1, .tag = 4, .comm = 9, .value = 80},
       {.kind = EventKind::end_receive, .time = 3, .rank = RankId{3}, .peer = 0, .tag = 4, .comm = 9, .value = 80},
       {.kind = EventKind::call_begin, .time = 4, .rank = RankId{3}, .name = 1},
       {.kind = EventKind::collective, .time = 5, .rank = RankId{3}, .peer = 0, .comm = 9, .value = 16, .more = 8},
       {.kind = EventKind::call_end, .time = 6, .rank = RankId{3}}}};
  write_chrome(trace, out);
  EXPECT_THAT(out.str(), HasSubstr(R"("ph":"s","pid":1,"tid":5,"ts":1.000,"cat":"message","id":"9-5-3-4-0")"));
  EXPECT_THAT(out.str(), HasSubstr(R"("ph":"f","pid":1,"tid":3,"ts":2.000,"bp":"e","cat":"message","id":"9-5-3-4-0")"));
  EXPECT_THAT(out.str(), HasSubstr(R"("name":"MPI_Bcast","args":{"bytes sent":16,"bytes received":8}})"));
}

}  // namespace
}  // namespace weft::trace

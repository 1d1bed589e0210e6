// Written traces can be read; an incomplete trace gives one clear error; the exported JSON has the events.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "trace/chrome.hpp"
#include "trace/merge.hpp"
#include "trace/reader.hpp"
#include "trace/writer.hpp"

namespace weft::trace {
namespace {

using testing::HasSubstr;

constexpr Header kHeader{.workers = 2, .ticks_per_second = 1000000};

// Those of recordings.
std::vector<Event> recorded_kinds(std::uint32_t call) {
  const RankId rank{7};
  return {
      {.kind = EventKind::compute, .time = 3000, .rank = rank, .value = 1LL << 45},
      {.kind = EventKind::migrate,
       .time = 3000,
       .rank = rank,
       .peer = kMigratable | kMayBePacked,
       .tag = -1,
       .value = 20,
       .more = 1LL << 33},
      {.kind = EventKind::interval,
       .time = 3000,
       .peer = 1000000,
       .tag = 1,
       .comm = 2,
       .request = UINT32_MAX,
       .value = 1LL << 40,
       .more = 3},
      {.kind = EventKind::phase, .time = 3000, .rank = rank, .value = -2},
      {.kind = EventKind::wildcard, .time = 3000, .rank = rank, .request = 6, .value = kAnySource | kAnyTag},
      {.kind = EventKind::block_to, .time = 3000, .rank = rank, .peer = 1, .request = 5, .value = 1LL << 40},
      {.kind = EventKind::block_from, .time = 3000, .rank = rank, .peer = 2, .request = 1, .value = 0},
      {.kind = EventKind::thread_call, .time = 3000, .rank = rank, .name = call},
  };
}

// One event of each kind, the extremes of their fields among them.
std::vector<Event> every_kind(Buffer& buffer) {
  const std::uint32_t call = buffer.name("MPI_Recv");
  const std::uint32_t reason = buffer.name("a message");
  const RankId rank{7};
  std::vector<Event> events{
      {.kind = EventKind::run, .time = 1000, .rank = rank, .value = 400},
      {.kind = EventKind::call_begin, .time = 1000, .rank = rank, .name = call},
      {.kind = EventKind::park, .time = 1200, .rank = rank, .name = reason},
      {.kind = EventKind::received, .time = 1300, .rank = rank, .peer = 3, .tag = -5, .value = 1LL << 40},
      {.kind = EventKind::call_end, .time = 1300, .rank = rank},
      {.kind = EventKind::sent,
       .time = 2000,
       .rank = RankId{UINT32_MAX},
       .peer = UINT32_MAX,
       .tag = INT32_MAX,
       .value = 0},
      {.kind = EventKind::move, .time = 2000, .rank = rank, .peer = 1},
      {.kind = EventKind::span, .time = 3000, .name = reason, .value = 70},
      {.kind = EventKind::start_send,
       .time = 3000,
       .rank = rank,
       .peer = 1,
       .tag = -1,
       .comm = 8,
       .request = 9,
       .value = 1},
      {.kind = EventKind::start_receive, .time = 3000, .rank = rank, .request = UINT32_MAX},
      {.kind = EventKind::end_receive,
       .time = 3000,
       .rank = rank,
       .peer = 1,
       .comm = UINT32_MAX,
       .request = 3,
       .value = 2},
      {.kind = EventKind::end_request, .time = 3000, .rank = rank, .request = 3},
      {.kind = EventKind::cancel, .time = 3000, .rank = rank, .request = 4},
      {.kind = EventKind::collective,
       .time = 3000,
       .rank = rank,
       .peer = 1,
       .tag = 8,
       .comm = 3,
       .value = 1LL << 50,
       .more = -1},
      {.kind = EventKind::start_collective, .time = 3000, .rank = rank, .request = 5},
      {.kind = EventKind::restart, .time = 3000, .rank = rank, .request = 5},
      {.kind = EventKind::comm, .time = 3000, .rank = rank, .name = call, .comm = 3},
      {.kind = EventKind::algorithm, .time = 3000, .rank = rank, .name = reason},
      {.kind = EventKind::stolen, .time = 3000, .rank = rank, .peer = 1},
      {.kind = EventKind::counter, .time = UINT64_MAX, .name = call, .value = std::numeric_limits<std::int64_t>::min()},
  };
  const std::vector<Event> recorded = recorded_kinds(call);
  events.insert(events.end() - 1, recorded.begin(), recorded.end());
  return events;
}

// Worker 0 has every kind in two pieces, worker 1 one message.
std::string sample() {
  std::ostringstream out;
  Writer writer(out, kHeader);
  Buffer first, second, job;
  const std::vector<Event> events = every_kind(first);
  for (std::size_t i = 0; i < events.size(); ++i) {
    first.add(events[i]);
    if (i == 3) {
      writer.append(0, first);
    }
  }
  second.add({.kind = EventKind::sent, .time = 900, .rank = RankId{3}, .peer = 7, .tag = -5, .value = 1LL << 40});
  second.name("MPI_Recv");
  job.add({.kind = EventKind::span, .time = 700, .name = job.name("a message"), .value = 100});
  writer.append(1, second);
  writer.append_job(job);
  writer.append(0, first);
  writer.finish();
  return out.str();
}

Trace parsed(const std::string& bytes) {
  std::istringstream in(bytes);
  return read(in);
}

std::string complaint(const std::string& bytes) {
  try {
    parsed(bytes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Trace, ReadsWhatWasWritten) {
  const Trace trace = parsed(sample());
  EXPECT_EQ(trace.header.workers, 2U);
  EXPECT_EQ(trace.header.ticks_per_second, 1000000U);
  EXPECT_EQ(trace.names, (std::vector<std::string>{"MPI_Recv", "a message"}));
  Buffer names;
  EXPECT_EQ(trace.workers[0], every_kind(names));
  EXPECT_EQ(trace.job, (std::vector<Event>{{.kind = EventKind::span, .time = 700, .name = 1, .value = 100}}));
  ASSERT_EQ(trace.workers[1].size(), 1U);
  EXPECT_EQ(trace.workers[1][0].peer, 7U);
}

TEST(Trace, IsCompact) {
  Buffer buffer;
  const std::uint32_t name = buffer.name("MPI_Send");
  const std::size_t before = buffer.bytes();
  for (std::uint64_t i = 0; i < 100; ++i) {
    buffer.add({.kind = EventKind::call_begin, .time = 50 * i, .rank = RankId{100}, .name = name});
  }
  EXPECT_LE(buffer.bytes() - before, 400U);
}

TEST(Trace, TheLongestEventFits) {
  Event event{.time = UINT64_MAX,
              .rank = RankId{UINT32_MAX},
              .name = UINT32_MAX,
              .peer = UINT32_MAX,
              .tag = INT32_MIN,
              .comm = UINT32_MAX,
              .request = UINT32_MAX,
              .value = INT64_MIN,
              .more = INT64_MIN};
  for (int kind = 1; kind <= static_cast<int>(kLastKind); ++kind) {
    Buffer buffer;
    event.kind = EventKind{static_cast<std::uint8_t>(kind)};
    buffer.add(event);
    EXPECT_LE(buffer.bytes(), Buffer::kLongestEvent) << kind;
  }
}

TEST(Trace, AnEmptiedBufferKeepsItsMemoryAndNames) {
  Buffer buffer;
  buffer.reserve(1000);
  const char* const memory = buffer.contents().data();
  const std::uint32_t name = buffer.name("MPI_Send");
  buffer.clear();
  EXPECT_EQ(buffer.contents(), "");
  EXPECT_EQ(buffer.name("MPI_Send"), name);
  for (std::uint64_t i = 0; buffer.bytes() + Buffer::kLongestEvent < 1000; ++i) {
    buffer.add({.kind = EventKind::call_begin, .time = i, .rank = RankId{100}, .name = name});
  }
  EXPECT_EQ(buffer.contents().data(), memory);
}

TEST(Trace, OfNothingIsATrace) {
  std::ostringstream out;
  Writer writer(out, {.workers = 0, .ticks_per_second = 1});
  writer.finish();
  EXPECT_TRUE(parsed(out.str()).workers.empty());
}

TEST(Trace, CutAnywhereIsOneClearError) {
  const std::string whole = sample();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    EXPECT_THAT(complaint(whole.substr(0, n)), HasSubstr("ends at byte " + std::to_string(n))) << n;
  }
}

TEST(Trace, OtherFilesAndVersionsAreNamed) {
  EXPECT_THAT(complaint("#!/bin/sh and more"), HasSubstr("not a trace"));
  std::string other = sample();
  other[8] = 1;
  EXPECT_THAT(complaint(other), HasSubstr("version 1"));
}

TEST(Trace, DamageIsFoundOrHarmless) {
  const std::string whole = sample();
  for (std::size_t i = 8; i < whole.size(); ++i) {
    for (const char wrong : {'\0', '\x7f', '\xff'}) {
      std::string bytes = whole;
      bytes[i] = wrong;
      const std::string what = complaint(bytes);
      EXPECT_TRUE(what.empty() || what.find("trace") != std::string::npos) << i;
    }
  }
  EXPECT_THAT(complaint(whole + "x"), HasSubstr("damaged"));
}

TEST(TraceDeathTest, TimesMustNotDecrease) {
  Buffer buffer;
  buffer.add({.kind = EventKind::call_end, .time = 10});
  EXPECT_DEATH(buffer.add({.kind = EventKind::call_end, .time = 9}), "order of their times");
}

TEST(Chrome, ShowsRunsCallsAndMessages) {
  std::ostringstream out;
  Trace trace;
  trace.header = kHeader;
  trace.names = {"MPI_Recv", "a \"quoted\"\nname"};
  trace.workers.resize(2);
  trace.workers[0] = {{.kind = EventKind::run, .time = 1500, .rank = RankId{7}, .value = 500},
                      {.kind = EventKind::call_begin, .time = 1500, .rank = RankId{7}, .name = 0},
                      {.kind = EventKind::received, .time = 1600, .rank = RankId{7}, .peer = 3, .tag = 4, .value = 80},
                      {.kind = EventKind::park, .time = 1600, .rank = RankId{7}, .name = 1}};
  trace.workers[1] = {{.kind = EventKind::sent, .time = 1400, .rank = RankId{3}, .peer = 7, .tag = 4, .value = 80}};
  write_chrome(trace, out);
  const std::string json = out.str();
  EXPECT_THAT(json, HasSubstr(R"("ph":"X","pid":0,"tid":0,"ts":0.000,"dur":500.000,"name":"rank 7")"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"X","pid":1,"tid":7,"ts":500.000,"dur":100.000,"name":"MPI_Recv")"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"s","pid":1,"tid":3,"ts":400.000,"cat":"message","id":"0-3-7-4-0")"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"f","pid":1,"tid":7,"ts":600.000,"bp":"e","cat":"message","id":"0-3-7-4-0")"));
  EXPECT_THAT(json, HasSubstr(R"(waits: a \"quoted\"\u000aname)"));
  EXPECT_THAT(json, HasSubstr(R"("name":"worker 1")"));
}

// The rank enters a call on worker 0, moves, and leaves it on worker 1; the call around that never ends.
TEST(Chrome, CallsGoOnWhereTheirRanksDo) {
  std::ostringstream out;
  Trace trace;
  trace.header = kHeader;
  trace.names = {"MPI_Migrate", "main", "step 1", "imbalance"};
  trace.process_of = {0, 1};
  trace.workers = {{{.kind = EventKind::call_begin, .time = 10, .rank = RankId{2}, .name = 1},
                    {.kind = EventKind::call_begin, .time = 20, .rank = RankId{2}, .name = 0},
                    {.kind = EventKind::move, .time = 25, .rank = RankId{2}, .peer = 1}},
                   {{.kind = EventKind::call_end, .time = 50, .rank = RankId{2}},
                    {.kind = EventKind::stolen, .time = 60, .rank = RankId{3}, .peer = 0},
                    {.kind = EventKind::run, .time = 90, .rank = RankId{2}, .value = 5}}};
  trace.job = {{.kind = EventKind::span, .time = 40, .name = 2, .value = 15},
               {.kind = EventKind::counter, .time = 40, .name = 3, .value = 120}};
  write_chrome(trace, out);
  const std::string json = out.str();
  EXPECT_THAT(json, HasSubstr(R"("pid":1,"tid":2,"ts":10.000,"dur":30.000,"name":"MPI_Migrate")"));
  EXPECT_THAT(json, HasSubstr(R"("pid":1,"tid":2,"ts":0.000,"dur":80.000,"name":"main")"));
  EXPECT_THAT(json, HasSubstr(R"("tid":2,"ts":15.000,"s":"t","name":"moves","args":{"from":0,"to":1})"));
  EXPECT_THAT(json, HasSubstr(R"("tid":3,"ts":50.000,"s":"t","name":"moves","args":{"from":0,"to":1})"));
  EXPECT_THAT(json, HasSubstr(R"("pid":2,"tid":0,"ts":15.000,"dur":15.000,"name":"step 1")"));
  EXPECT_THAT(json, HasSubstr(R"("ph":"C","pid":2,"tid":0,"ts":30.000,"name":"imbalance","args":{"value":120})"));
  EXPECT_THAT(json, HasSubstr(R"("name":"worker 1, process 1")"));
}

ProcessTrace part_of_host(std::uint32_t host, ClockReading begin, ClockReading end) {
  ProcessTrace part;
  part.host = host;
  part.begin = begin;
  part.end = end;
  part.trace.header = {.workers = 1, .ticks_per_second = 1'000'000'000};
  return part;
}

TEST(Merge, NumbersWorkersAndNamesThroughAllProcesses) {
  ProcessTrace first = part_of_host(0, {1000, 0}, {2000, 1000});
  first.trace.names = {"a", "b"};
  first.trace.workers = {{{.kind = EventKind::call_begin, .time = 1500, .rank = RankId{0}, .name = 1}}};
  ProcessTrace second = part_of_host(0, {1100, 100}, {2100, 1100});
  second.trace.names = {"b", "c"};
  second.trace.workers = {{{.kind = EventKind::call_begin, .time = 1400, .rank = RankId{1}, .name = 0},
                           {.kind = EventKind::park, .time = 1600, .rank = RankId{1}, .name = 1}}};
  const Trace whole = merge({first, second});
  EXPECT_EQ(whole.header.workers, 2U);
  EXPECT_EQ(whole.names, (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(whole.process_of, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(whole.workers[0][0].name, 1U);
  EXPECT_EQ(whole.workers[1][0].name, 1U);
  EXPECT_EQ(whole.workers[1][1].name, 2U);
  EXPECT_EQ(whole.workers[1][0].time, 1400U);
}

// The other host's counter began elsewhere and runs at half the rate.
TEST(Merge, TranslatesTheClockOfAnotherHost) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const ProcessTrace first = part_of_host(0, {5000, 0}, {5000 + 2'000'000'000, kSecond});
  ProcessTrace second = part_of_host(1, {77, kSecond / 2}, {77 + 1'000'000'000, kSecond * 3 / 2});
  second.trace.workers = {{{.kind = EventKind::run, .time = 77 + 1000, .rank = RankId{1}, .value = 500}}};
  second.trace.job = {{.kind = EventKind::span, .time = 77, .value = 10}};
  const Trace whole = merge({first, second});
  EXPECT_EQ(whole.header.ticks_per_second, 2'000'000'000U);
  EXPECT_EQ(whole.workers[0][0].time, 5000U + 1'000'000'000U + 2000U);
  EXPECT_EQ(whole.workers[0][0].value, 1000);
  EXPECT_EQ(whole.job[0].time, 5000U + 1'000'000'000U);
}

TEST(Chrome, AnEmptyTraceIsAnEmptyList) {
  std::ostringstream out;
  write_chrome({}, out);
  EXPECT_THAT(out.str(), HasSubstr("traceEvents"));
}

}  // namespace
}  // namespace weft::trace

// The input of MigBSP: ranks' supersteps as they are measured.
#include "runtime/lbstep/supersteps.hpp"

#include "runtime/lbstep/balancing_step.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "tests/runtime/processes_fixture.hpp"
#include "tests/runtime/undisturbed.hpp"

namespace weft::runtime {
namespace {

void send_bytes(std::uint32_t to, std::size_t bytes) {
  Rank& me = *current_rank();
  std::vector<std::byte> data(bytes);
  Request request;
  request.prepare_send(me, {.context = 1, .source = static_cast<int>(number(me.id)), .tag = 7}, static_cast<int>(to),
                       {data.data(), data.size()});
  start_send(me.job.rank(to), SendMode::standard, request);
  wait(me, request);
}

void receive_bytes(std::uint32_t from, std::size_t bytes) {
  Rank& me = *current_rank();
  std::vector<std::byte> data(bytes);
  Request request;
  start_receive(me, {.context = 1, .source = static_cast<int>(from), .tag = 7}, {data.data(), data.size()}, request);
  wait(me, request);
}

void use_cpu(double seconds) {
  for (const double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);
       seconds_of(CLOCK_THREAD_CPUTIME_ID) - start < seconds;) {
  }
}

// Superstep t: rank 0 sends t messages of 100 bytes to rank 1; in the third it also computes. A short one may count as
// nothing when other processes had the core.
TEST(Supersteps, AreWhatARankDidFromCallToCall) {
  constexpr std::size_t kCalls = 5;
  std::vector<SuperstepReport> sender;
  FunctionProgram program([&](Rank& me) {
    for (std::size_t t = 1; t <= kCalls; ++t) {
      for (std::size_t i = 0; i < t; ++i) {
        number(me.id) == 0 ? send_bytes(1, 100) : receive_bytes(0, 100);
      }
      use_cpu(number(me.id) == 0 && t == 3 ? 5e-3 : 0.0);
      EXPECT_FALSE(me.job.migrate(me));
    }
    if (number(me.id) == 0) {
      sender = me.job.step().supersteps()->take(0);
      EXPECT_TRUE(me.job.step().supersteps()->take(0).empty());
    }
    return 0;
  });
  JobConfig config;
  config.ranks = 2;
  config.lb = "migbsp";
  config.lb_period = 1000;
  Job job(config, program);
  EXPECT_EQ(job.run(), 0);
  ASSERT_EQ(sender.size(), kCalls);
  for (std::size_t t = 0; t < kCalls; ++t) {
    EXPECT_GE(sender[t].seconds, t == 2 ? 2.5e-3 : 0.0);
    ASSERT_EQ(sender[t].sent.size(), 1U);
    EXPECT_EQ(sender[t].sent[0].to, 1U);
    EXPECT_EQ(sender[t].sent[0].messages, t + 1);
    EXPECT_EQ(sender[t].sent[0].bytes, 100 * (t + 1));
  }
}

TEST(Supersteps, AreKeptForSomeTimeOnly) {
  std::size_t kept = 0;
  FunctionProgram program([&](Rank& me) {
    for (int t = 0; t < 70; ++t) {
      me.job.migrate(me);
    }
    kept = me.job.step().supersteps()->take(0).size();
    return 0;
  });
  JobConfig config;
  config.lb = "migbsp:one";
  config.lb_period = 1000;
  Job job(config, program);
  EXPECT_EQ(job.run(), 0);
  EXPECT_EQ(kept, 64U);
}

TEST(Supersteps, AreNotThereForOtherStrategies) {
  FunctionProgram program([&](Rank& me) { return me.job.step().supersteps() == nullptr ? 0 : 1; });
  JobConfig config;
  config.lb = "refine";
  Job job(config, program);
  EXPECT_EQ(job.run(), 0);
}

class MigbspJobs : public testing::TestWithParam<Shape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, MigbspJobs,
                         testing::Values(Shape{1, 2, "migbsp:0"}, Shape{2, 2, "migbsp:0"}, Shape{3, 1, "migbsp:0", 5}),
                         [](const auto& row) {
                           return std::to_string(row.param.processes) + "x" + std::to_string(row.param.workers);
                         });

// Whichever ranks move, every rank's ring of messages and every step completes.
TEST_P(MigbspJobs, RunToTheirEnd) {
  constexpr std::uint32_t kRanks = 6;
  FunctionProgram program([](Rank& rank) {
    const std::uint32_t mine = number(rank.id);
    for (int t = 0; t < 12; ++t) {
      send_bytes((mine + 1) % kRanks, 64);
      receive_bytes((mine + kRanks - 1) % kRanks, 64);
      current_rank()->job.migrate(*current_rank());
    }
    return 0;
  });
  JobConfig config;
  config.ranks = kRanks;
  config.lb_when = "migbsp:3";
  EXPECT_EQ(run_processes(GetParam(), config, program), 0);
}

}  // namespace
}  // namespace weft::runtime

// Ranks of several processes: messages, moves, the end, deadlock.
#include "runtime/control/cluster.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <set>

#include "runtime/p2p/packing.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/sched/worker.hpp"
#include "tests/runtime/processes_fixture.hpp"

namespace weft::runtime {
namespace {

// To be called anew each time, since the rank may have moved to another process.
Rank& me() { return *current_rank(); }
int my_number() { return static_cast<int>(number(me().id)); }

// A layer above that knows where its requests are: on the ranks' own stacks, which keep their addresses.
class Holder final : public UpperLayer {
 public:
  using Held = std::vector<Request*>;
  void begin(Rank& rank) override { rank.upper_state = new Held; }
  void end(Rank& rank, int /*code*/) override { forget(rank); }
  std::optional<std::int32_t> program_tag(const MatchKey& key) const override { return key.tag; }
  std::string context_name(const Rank& /*rank*/, std::uint32_t /*context*/) const override { return "the context"; }
  void pup(Rank& rank, pup::Puper& p) override {
    if (p.unpacking()) {
      begin(rank);
    }
    Held& held = *static_cast<Held*>(rank.upper_state);
    std::uint64_t count = held.size();
    p | count;
    held.resize(count);
    for (Request*& request : held) {
      pup::same_address(p, request);
      pup_request(p, rank, *request);
    }
  }
  void forget(Rank& rank) override { delete static_cast<Held*>(std::exchange(rank.upper_state, nullptr)); }
};

void hold(Request& request) { static_cast<Holder::Held*>(me().upper_state)->push_back(&request); }
void let_go() { static_cast<Holder::Held*>(me().upper_state)->clear(); }

class Processes : public testing::TestWithParam<Shape> {
 protected:
  static int run(std::uint32_t ranks, const std::function<int()>& body, JobConfig config = {}) {
    config.ranks = ranks;
    FunctionProgram program([&](Rank&) { return body(); });
    return run_processes(GetParam(), config, program, [] { return std::make_unique<Holder>(); });
  }
};
INSTANTIATE_TEST_SUITE_P(Shapes, Processes, kShapes, name_of_shape);

void start_send_to(int to, int tag, const std::vector<int>& data, Request& request,
                   SendMode mode = SendMode::standard) {
  request.prepare_send(me(), {1, my_number(), tag}, to, {const_cast<int*>(data.data()), data.size() * sizeof(int)});
  start_send(me().job.rank(static_cast<std::uint32_t>(to)), mode, request);
}

void send(int to, int tag, const std::vector<int>& data, SendMode mode = SendMode::standard) {
  Request request;
  start_send_to(to, tag, data, request, mode);
  wait(me(), request);
}

Request receive(int from, int tag, std::vector<int>& data) {
  Request request;
  start_receive(me(), {1, from, tag}, {data.data(), data.size() * sizeof(int)}, request);
  wait(me(), request);
  return request;
}

TEST_P(Processes, RanksLiveWhereTheirBlockIs) {
  std::atomic<int> ran = 0;
  EXPECT_EQ(run(13,
                [&] {
                  ++ran;
                  EXPECT_EQ(Job::process_of(me()), me().job.process());
                  EXPECT_EQ(me().worker.load()->id(), Worker::current()->id());
                  return my_number();
                }),
            12);
  EXPECT_EQ(ran, 13);
}

TEST_P(Processes, MessagesReachTheRightRankInEverySizeAndMode) {
  run(7, [] {
    const int n = 7;
    int tag = 0;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{100000}}) {
      for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
        ++tag;
        const std::vector<int> out(size, my_number() * 100 + tag);
        std::vector<int> in(size);
        const int from = (my_number() + n - 1) % n;
        Request receiving;
        start_receive(me(), {1, from, tag}, {in.data(), size * sizeof(int)}, receiving);
        send((my_number() + 1) % n, tag, out, mode);
        wait(me(), receiving);
        EXPECT_EQ(in, std::vector<int>(size, from * 100 + tag));
        EXPECT_EQ(receiving.bytes, size * sizeof(int));
        me().job.migrate(me());
      }
    }
    return 0;
  });
}

TEST_P(Processes, MessagesOfOnePairNeverOvertakeEachOther) {
  constexpr int kCount = 300;
  run(5, [] {
    if (my_number() == 0) {
      std::vector<int> next(5, 0);
      std::vector<int> value(20000);  // room for both protocols
      for (int i = 0; i < 4 * kCount; ++i) {
        const Request got = receive(kAnySource, 5, value);
        EXPECT_EQ(value[0], next[static_cast<std::size_t>(got.key.source)]++);
      }
    } else {
      for (int i = 0; i < kCount; ++i) {
        send(0, 5, std::vector<int>(i % 7 == 0 ? 20000 : 1, i));
      }
    }
    return 0;
  });
}

TEST_P(Processes, AFloodNeitherHangsNorIsLost) {
  constexpr int kCount = 3000;  // 3000 x 16 KB is more than the credit of a pair of processes
  run(4, [] {
    const std::vector<int> data(4000, 7);
    std::vector<int> in(4000);
    const int peer = (my_number() + 2) % 4;
    if (my_number() < 2) {
      for (int i = 0; i < kCount; ++i) {
        send(peer, 1, data);
      }
      receive(peer, 2, in);
    } else {
      send(peer, 3, {1});
      std::vector<int> first(1);
      for (int i = 0; i < kCount; ++i) {
        receive(peer, 1, in);
        EXPECT_EQ(std::memcmp(in.data(), data.data(), data.size() * sizeof(int)), 0);
      }
      send(peer, 2, data);
    }
    if (my_number() < 2) {
      receive(peer, 3, in);
    }
    return 0;
  });
}

// Sends more than the credit of a pair of processes before the message that the receiver wants first; then ranks may
// move.
int send_unasked(int count) {
  const int peer = (my_number() + 2) % 4;
  std::vector<int> data(4000);
  if (my_number() < 2) {
    for (int i = 0; i < count; ++i) {
      data.front() = i;
      data.back() = i + 3999;
      send(peer, 1, data);
    }
    send(peer, 1, {});
    send(peer, 2, {17});
  } else {
    std::vector<int> first(1);
    receive(peer, 2, first);
    EXPECT_EQ(first[0], 17);
  }
  me().job.migrate(me());
  for (int i = 0; my_number() >= 2 && i < count; ++i) {
    EXPECT_EQ(receive(peer, 1, data).sent, data.size() * sizeof(int));
    EXPECT_EQ(data.front(), i);
    EXPECT_EQ(data.back(), i + 3999);
  }
  if (my_number() >= 2) {
    EXPECT_EQ(receive(peer, 1, data).sent, 0U);
  }
  return 0;
}

TEST_P(Processes, MessagesThatNobodyAsksForAreTakenBeyondTheCredit) {
  EXPECT_EQ(run(4, [] { return send_unasked(1500); }), 0);
}

// The receive matches while the payload is on its way, since the next message is received at once.
TEST_P(Processes, WhatIsTakenBeyondTheCreditMayBeAskedForMeanwhile) {
  run(2, [] {
    constexpr int kCount = 1500;
    std::vector<int> data(4000);
    if (my_number() == 0) {
      for (int i = 0; i < kCount; ++i) {
        data.front() = i;
        send(1, i < kCount - 50 ? 1 : 2, data);
      }
      return 0;
    }
    for (const int tag : {2, 1}) {
      for (int i = tag == 2 ? kCount - 50 : 0; i < (tag == 2 ? kCount : kCount - 50); ++i) {
        receive(0, tag, data);
        EXPECT_EQ(data.front(), i);
      }
    }
    return 0;
  });
}

TEST_P(Processes, TheLimitIsNamedWhereItHoldsASender) {
  if (GetParam().lb != "none" || GetParam().processes != 2) {
    GTEST_SKIP();
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  JobConfig config;
  config.unexpected_limit = 20 << 20;
  EXPECT_EXIT(
      run(
          4, [] { return send_unasked(3000); }, config),
      testing::ExitedWithCode(1),
      "rank 0 in(.|\n)*waits to send to rank 2, tag 1, the context: the process of rank 2 takes no more messages "
      "that nobody has asked for: --unexpected-limit is 20971520 bytes");
}

// Pending receives, unexpected messages, rendezvous and synchronous sends: all of them complete after the moves.
TEST_P(Processes, WhatIsPendingMovesWithItsRank) {
  run(6, [] {
    for (int round = 0; round < 8; ++round) {
      const int to = (my_number() + 1) % 6;
      const int from = (my_number() + 5) % 6;
      const std::vector<int> small(3, round);
      const std::vector<int> large(50000, round);
      Request sends[2];
      start_send_to(to, 1, large, sends[0]);
      start_send_to(to, 2, small, sends[1], SendMode::synchronous);
      send(to, 3, small);
      std::vector<int> got_posted(3);
      Request posted;
      start_receive(me(), {1, from, 4}, {got_posted.data(), 3 * sizeof(int)}, posted);
      hold(sends[0]);
      hold(sends[1]);
      hold(posted);
      me().job.migrate(me());
      let_go();
      send(to, 4, small);
      wait(me(), posted);
      EXPECT_EQ(got_posted, small);
      std::vector<int> got(50000);
      std::vector<int> got_small(3);
      EXPECT_EQ(receive(from, 3, got_small).bytes, sizeof(int) * 3);
      EXPECT_EQ(got_small, small);
      receive(from, 2, got_small);
      receive(from, 1, got);
      EXPECT_EQ(got, large);
      wait(me(), sends[0]);
      wait(me(), sends[1]);
    }
    return 0;
  });
}

TEST_P(Processes, RotateBringsEveryRankToEveryWorker) {
  if (GetParam().lb != "rotate") {
    GTEST_SKIP();
  }
  const std::uint32_t total = GetParam().processes * GetParam().workers;
  run(9, [&] {
    std::set<std::uint32_t> seen;
    for (std::uint32_t i = 0; i < total; ++i) {
      seen.insert(me().job.global_number(*Worker::current()));
      EXPECT_TRUE(me().job.migrate(me()) || total == 1);
    }
    EXPECT_EQ(seen.size(), total);
    return 0;
  });
}

TEST_P(Processes, MoreProcessesThanRanks) {
  EXPECT_EQ(run(1,
                [] {
                  me().job.migrate(me());
                  me().job.migrate(me());
                  return 3;
                }),
            3);
}

TEST_P(Processes, DeadlockIsReportedByAllOfThem) {
  if (GetParam().lb != "none") {
    GTEST_SKIP();
  }
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(run(4,
                  [] {
                    std::vector<int> in(1);
                    receive((my_number() + 1) % 4, 9, in);
                    return 0;
                  }),
              testing::ExitedWithCode(1), "deadlock: all (4 )?ranks are blocked(.|\n)*rank 0 in(.|\n)*rank 3 in");
}

}  // namespace
}  // namespace weft::runtime

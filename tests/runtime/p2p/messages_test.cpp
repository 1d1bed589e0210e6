#include "runtime/p2p/point_to_point.hpp"

#include <algorithm>
#include <vector>

#include "tests/runtime/job_fixture.hpp"
#include "tests/sanitized.hpp"

namespace weft::runtime {
namespace {

class Messages : public JobTest {};
INSTANTIATE_TEST_SUITE_P(Settings, Messages, kSettings, name_of);

void send(Rank& me, std::uint32_t to, int tag, std::vector<int>& data, SendMode mode = SendMode::standard) {
  Request request;
  request.prepare_send(me, {1, static_cast<int>(number(me.id)), tag}, static_cast<int>(to),
                       {data.data(), data.size() * sizeof(int)});
  start_send(me.job.rank(to), mode, request);
  wait(me, request);
}

Request receive(Rank& me, int from, int tag, std::vector<int>& data) {
  Request request;
  start_receive(me, {1, from, tag}, {data.data(), data.size() * sizeof(int)}, request);
  wait(me, request);
  return request;
}

TEST_P(Messages, ReachTheRightRankInEverySizeAndMode) {
  run(6, [](Rank& me) {
    const std::uint32_t n = me.job.rank_count();
    const auto id = number(me.id);
    int tag = 0;
    for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, std::size_t{100000}}) {
      for (const SendMode mode : {SendMode::standard, SendMode::synchronous}) {
        ++tag;
        std::vector<int> out(size, static_cast<int>(id) * 100 + tag);
        std::vector<int> in(size);
        Request receiving;
        const auto from = static_cast<int>((id + n - 1) % n);
        start_receive(me, {1, from, tag}, {in.data(), size * sizeof(int)}, receiving);
        send(me, (id + 1) % n, tag, out, mode);
        wait(me, receiving);
        EXPECT_EQ(in, std::vector<int>(size, from * 100 + tag));
        EXPECT_EQ(receiving.bytes, size * sizeof(int));
        me.job.migrate(me);
      }
    }
    return 0;
  });
}

TEST_P(Messages, AreCountedWhereverTheRankGoes) {
  run(4, [](Rank& me) {
    const auto id = number(me.id);
    const auto from = static_cast<int>((id + 3) % 4);
    std::uint64_t bytes = 0;
    std::uint32_t moves = 0;
    for (std::uint64_t step = 1; step <= 3; ++step) {
      std::vector<int> out(step * 1000), in(out.size());
      Request receiving;
      start_receive(me, {1, from, 0}, {in.data(), in.size() * sizeof(int)}, receiving);
      send(me, (id + 1) % 4, 0, out);
      wait(me, receiving);
      bytes += out.size() * sizeof(int);
      const Worker* const before = me.worker.load();
      me.job.migrate(me);
      moves += me.worker.load() == before ? 0 : 1;
      EXPECT_EQ(me.sent.messages(), step);
      EXPECT_EQ(me.sent.bytes(), bytes);
      if (me.job.continuous_balancer() == nullptr) {
        EXPECT_EQ(me.moves.load(), moves);
      } else {
        EXPECT_GE(me.moves.load(), moves);
      }
    }
    return 0;
  });
}

TEST_P(Messages, OfOnePairNeverOvertakeEachOther) {
  run(4, [](Rank& me) {
    constexpr int kCount = 500;
    const auto id = static_cast<int>(number(me.id));
    if (id == 0) {
      std::vector<int> next(4, 0);
      for (int i = 0; i < 3 * kCount; ++i) {
        std::vector<int> value(20000);  // room for both protocols
        const Request got = receive(me, kAnySource, 5, value);
        EXPECT_EQ(value[0], next[static_cast<std::size_t>(got.key.source)]++);
        if (i % 100 == 0) {
          yield(me);
        }
      }
    } else {
      for (int i = 0; i < kCount; ++i) {
        std::vector<int> value(i % 7 == 0 ? 20000U : 1U, i);
        send(me, 0, 5, value);
      }
    }
    me.job.migrate(me);
    return 0;
  });
}

TEST_P(Messages, LongerThanTheBufferAreCutAndSayThatTheyWere) {
  run(2, [](Rank& me) {
    std::vector<int> data(number(me.id) == 0 ? 10U : 4U, 3);
    if (number(me.id) == 0) {
      send(me, 1, 1, data);
    } else {
      const Request got = receive(me, 0, 1, data);
      EXPECT_TRUE(got.truncated);
      EXPECT_EQ(got.bytes, 16U);
      EXPECT_EQ(got.sent, 40U);
    }
    return 0;
  });
}

TEST_P(Messages, AreProbedMatchedAndCancelled) {
  run(2, [](Rank& me) {
    std::vector<int> data(5, 9);
    if (number(me.id) == 0) {
      send(me, 1, 8, data);
      return 0;
    }
    Probed found;
    wait_probe(me, {1, kAnySource, kAnyTag}, found);
    EXPECT_EQ(found.key, (MatchKey{1, 0, 8}));
    EXPECT_EQ(found.bytes, 20U);
    Envelope* const message = match(me, {1, 0, 8}, found);
    EXPECT_FALSE(probe(me, {1, kAnySource, kAnyTag}, found));
    std::vector<int> in(5);
    Request request;
    receive_matched(me, *message, {in.data(), 20}, request);
    EXPECT_EQ(in, data);

    Request never;
    start_receive(me, {1, 0, 99}, {in.data(), 20}, never);
    EXPECT_TRUE(cancel_receive(me, never));
    EXPECT_TRUE(never.cancelled && never.done);
    return 0;
  });
}

TEST_P(Messages, WakeWaitAnyForEachOfThem) {
  run(5, [](Rank& me) {
    const auto id = number(me.id);
    std::vector<int> mine(1, static_cast<int>(id));
    if (id != 0) {
      send(me, 0, 4, mine);
      return 0;
    }
    std::vector<int> in(4);
    std::vector<Request> requests(4);
    std::vector<Request*> open;
    for (std::size_t i = 0; i < 4; ++i) {
      start_receive(me, {1, static_cast<int>(i) + 1, 4}, {&in[i], sizeof(int)}, requests[i]);
      open.push_back(&requests[i]);
    }
    for (int left = 4; left > 0; --left) {
      wait_any(me, open);
      const auto done = std::find_if(open.begin(), open.end(), [](auto* r) { return r != nullptr && r->done; });
      EXPECT_NE(done, open.end());
      *done = nullptr;
    }
    EXPECT_EQ(in, (std::vector<int>{1, 2, 3, 4}));
    return 0;
  });
}

TEST_P(Messages, ToOneRankFromThousandsAllArrive) {
  constexpr int kRanks = kSanitized ? 300 : 2000;
  run(kRanks, [](Rank& me) {
    const auto id = static_cast<int>(number(me.id));
    std::vector<int> value(1, id);
    if (id != 0) {
      send(me, 0, id, value);
      return 0;
    }
    std::int64_t sum = 0;
    for (int tag = kRanks - 1; tag > 0; --tag) {
      receive(me, tag % 2 == 0 ? tag : kAnySource, tag, value);
      EXPECT_EQ(value[0], tag);
      sum += value[0];
    }
    EXPECT_EQ(sum, std::int64_t{kRanks} * (kRanks - 1) / 2);
    return 0;
  });
}

}  // namespace
}  // namespace weft::runtime

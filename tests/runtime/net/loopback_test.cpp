// The faults that the loopback can inject: the requested ones occur, and no others.
#include "runtime/net/loopback.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>
#include <vector>

namespace weft::net {
namespace {

struct Record final : Sink {
  void arrived(ProcessId from, std::span<const std::byte> message) override {
    all.emplace_back(number(from), static_cast<int>(message[0]));
  }
  std::vector<std::pair<std::uint32_t, int>> all;
};

struct Three {
  explicit Three(const LoopbackOptions& options) : hub(3, options) {
    for (std::uint32_t i = 0; i < 3; ++i) {
      transports[i] = hub.connect(ProcessId{i}, sinks[i]);
    }
  }
  void send(std::uint32_t from, std::uint32_t to, int byte) {
    const auto message = static_cast<std::byte>(byte);
    transports[from]->send(ProcessId{to}, {}, std::span(&message, 1));
  }
  void poll(std::uint32_t process, int times) {
    for (int i = 0; i < times; ++i) {
      transports[process]->poll();
    }
  }

  std::array<Record, 3> sinks;
  Loopback hub;
  std::array<std::unique_ptr<Transport>, 3> transports;
};

struct Flagged : Read {
  explicit Flagged(std::uint32_t whose, const int& there) {
    from = ProcessId{whose};
    address = &there;
    into = std::as_writable_bytes(std::span(&value, 1));
    finished = [](Read& read) { static_cast<Flagged&>(read).over = true; };
  }
  int value = 0;
  bool over = false;
};

std::vector<std::pair<std::uint32_t, int>> arrivals(std::uint64_t seed) {
  Three three({.most_delay = 5, .seed = seed});
  for (int i = 0; i < 20; ++i) {
    three.send(0, 2, i);
    three.send(1, 2, i);
  }
  three.poll(2, 6);
  return three.sinks[2].all;
}

TEST(LoopbackTest, MessagesOfOnePairStayInOrderAndThoseOfTwoOvertake) {
  const auto all = arrivals(1);
  ASSERT_EQ(all.size(), 40U);
  std::array<int, 2> next = {};
  bool overtaken = false;
  for (const auto& [from, index] : all) {
    EXPECT_EQ(index, next[from]++);
    overtaken = overtaken || (from == 0 && next[0] < next[1]);
  }
  EXPECT_TRUE(overtaken);
}

TEST(LoopbackTest, TheSeedDecides) {
  EXPECT_EQ(arrivals(4), arrivals(4));
  EXPECT_NE(arrivals(4), arrivals(5));
}

TEST(LoopbackTest, ReadsFinishInALaterPollAndSeeTheMemoryAsItIsThen) {
  Three three({.most_delay = 3});
  int there = 1;
  Flagged read(1, there);
  three.transports[0]->read(read);
  EXPECT_FALSE(read.over);
  EXPECT_FALSE(three.transports[0]->is_drained());
  EXPECT_FALSE(three.transports[0]->may_sleep());
  there = 2;
  three.poll(0, 4);
  EXPECT_TRUE(read.over);
  EXPECT_EQ(read.value, 2);
  EXPECT_TRUE(three.transports[0]->is_drained());
}

TEST(LoopbackTest, WhatFindsNoRoomIsTheSendersUntilThereIsSome) {
  Three three({.longest_message = 4, .queue_bytes = 4});
  for (int i = 0; i < 6; ++i) {
    three.send(0, 1, i);
  }
  EXPECT_FALSE(three.transports[0]->is_drained());
  three.poll(1, 1);
  EXPECT_EQ(three.sinks[1].all.size(), 4U);
  three.poll(0, 1);
  EXPECT_TRUE(three.transports[0]->is_drained());
  three.poll(1, 1);
  EXPECT_EQ(three.sinks[1].all.size(), 6U);
}

TEST(LoopbackTest, APeerThatIsCutTakesAndGivesNothing) {
  Three three({.most_delay = 3});
  const int there = 7;
  Flagged read(1, there);
  three.transports[0]->read(read);
  three.send(0, 1, 1);
  three.hub.disconnect(ProcessId{1});
  three.send(0, 1, 2);
  three.send(1, 0, 3);
  three.send(2, 0, 4);
  three.poll(0, 5);
  three.poll(1, 5);
  EXPECT_TRUE(three.sinks[1].all.empty());
  EXPECT_EQ(three.sinks[0].all, (std::vector<std::pair<std::uint32_t, int>>{{2, 4}}));
  EXPECT_FALSE(read.over);
  EXPECT_FALSE(three.transports[0]->is_drained());
  EXPECT_TRUE(three.transports[2]->is_drained());
}

}  // namespace
}  // namespace weft::net

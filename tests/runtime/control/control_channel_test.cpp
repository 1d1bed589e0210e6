// Control messages: who handles them, in which order, and what a process sends to itself.
#include "runtime/control/control_channel.hpp"

#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/control/ranks_ended.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/net/loopback.hpp"
#include "runtime/spawning/spawn_messages.hpp"

namespace weft::runtime {
namespace {

constexpr ProcessId kFirst{0};
constexpr ProcessId kSecond{1};

// What a part has handled, as text.
class Log final : public ControlHandler {
 public:
  using Messages = ControlMessages<RankInstalled, SpawnReady, RanksEnded>;

  explicit Log(ProcessId self) : ControlHandler(self) {}
  // What the next RankInstalled{rank} with rank != 0 answers to its own process: RankInstalled{rank - 1}, twice.
  ControlChannel* echo = nullptr;

  std::vector<std::string> lines;
  std::vector<std::thread::id> threads;
  const char* last_failure = nullptr;  // where the text of the last SpawnReady lies

 private:
  void on_control(ProcessId from, ControlKind kind, const ControlBody& body) override {
    Messages::dispatch(kind, body, [&](auto message) { on(from, message); });
  }
  void on(ProcessId from, const RankInstalled& installed) {
    note(from, "installed " + std::to_string(installed.rank));
    if (echo != nullptr && installed.rank != 0) {
      echo->send_control(kFirst, RankInstalled{installed.rank - 1});
      echo->send_control(kFirst, RankInstalled{installed.rank - 1});
    }
    note(from, "done " + std::to_string(installed.rank));
  }
  void on(ProcessId from, const SpawnReady& ready) {
    note(from, "ready " + std::to_string(ready.failure.size()));
    last_failure = ready.failure.data();
  }
  void on(ProcessId from, const RanksEnded& ended) { note(from, "ended " + std::to_string(ended.ranks)); }
  void note(ProcessId from, const std::string& what) {
    lines.push_back(std::to_string(number(from)) + ": " + what);
    threads.push_back(std::this_thread::get_id());
  }
};

// Two processes as objects, each with a log for the step's, the spawning's and the termination's messages.
class ControlChannels : public testing::Test {
 protected:
  struct Process {
    Process(ProcessId self, net::Loopback& hub)
        : cluster(self, {1, 1}),
          transport(hub.connect(self, cluster)),
          channel((cluster.set_transport(*transport), cluster)) {
      for (const ControlPart part : {ControlPart::step, ControlPart::spawning, ControlPart::termination}) {
        channel.set_handler(part, log);
      }
    }
    Cluster cluster;
    std::unique_ptr<net::Transport> transport;
    ControlChannel channel;
    Log log{cluster.self()};
  };

  void poll_second() {
    while (second_.transport->poll()) {
    }
  }

  net::Loopback hub_{2, {.longest_message = 256}};
  Process first_{kFirst, hub_};
  Process second_{kSecond, hub_};
};

TEST_F(ControlChannels, MessagesArriveInOrderWhateverTheirKindAndLength) {
  first_.channel.send_control(kSecond, RankInstalled{7});
  first_.channel.send_control(kSecond, SpawnReady{std::string(5000, 'x')});  // 20 pieces
  first_.channel.send_control(kSecond, RanksEnded{3});
  first_.channel.send_control(kSecond, SpawnReady{});
  poll_second();
  EXPECT_EQ(second_.log.lines,
            (std::vector<std::string>{"0: installed 7", "0: done 7", "0: ready 5000", "0: ended 3", "0: ready 0"}));
}

TEST_F(ControlChannels, OnlyTheKindsThatSayItAreCounted) {
  first_.channel.send_control(kSecond, RankInstalled{1});
  first_.channel.send_control(kSecond, SpawnReady{std::string(1000, 'x')});  // one message, however many pieces
  first_.channel.send_control(kSecond, RanksEnded{3});
  poll_second();
  EXPECT_EQ(second_.log.lines.size(), 4U);
  EXPECT_EQ(second_.cluster.received(), 2U);
}

TEST_F(ControlChannels, AMessageToTheOwnProcessIsHandledBeforeTheCallReturns) {
  first_.channel.send_control(kFirst, RanksEnded{2});
  EXPECT_EQ(first_.log.lines, std::vector<std::string>{"0: ended 2"});
  EXPECT_EQ(first_.cluster.received(), 0U);
}

TEST_F(ControlChannels, AMessageToTheOwnProcessIsNotCopied) {
  SpawnReady at_once{std::string(1000, 'x')};
  const char* text = at_once.failure.data();
  first_.channel.send_control(kFirst, std::move(at_once));
  EXPECT_EQ(first_.log.last_failure, text);
  SpawnReady waits{std::string(1000, 'x')};
  text = waits.failure.data();
  {
    const ControlHandler::Guard guard(first_.log);
    first_.channel.send_control(kFirst, std::move(waits));
  }
  EXPECT_EQ(first_.log.last_failure, text);
}

TEST_F(ControlChannels, WhatAHandlerSendsToItsOwnProcessIsHandledAfterItOnItsThread) {
  first_.log.echo = &first_.channel;
  std::thread([&] {
    first_.channel.send_control(kFirst, RankInstalled{2});
    for (const std::thread::id thread : first_.log.threads) {
      EXPECT_EQ(thread, std::this_thread::get_id());
    }
  }).join();
  // Breadth first, and never one inside another.
  EXPECT_EQ(first_.log.lines,
            (std::vector<std::string>{"0: installed 2", "0: done 2", "0: installed 1", "0: done 1", "0: installed 1",
                                      "0: done 1", "0: installed 0", "0: done 0", "0: installed 0", "0: done 0",
                                      "0: installed 0", "0: done 0", "0: installed 0", "0: done 0"}));
}

TEST_F(ControlChannels, UnderThePartsLockMessagesToTheOwnProcessWaitAndNoOthers) {
  {
    const ControlHandler::Guard guard(first_.log);
    first_.channel.send_control_to_all(RanksEnded{1});
    first_.channel.send_control(kFirst, RankInstalled{0});
    EXPECT_TRUE(first_.log.lines.empty());
    poll_second();
    EXPECT_EQ(second_.log.lines, std::vector<std::string>{"0: ended 1"});
  }
  EXPECT_EQ(first_.log.lines, (std::vector<std::string>{"0: ended 1", "0: installed 0", "0: done 0"}));
}

TEST_F(ControlChannels, WhatAMessageLeadsToIsHandledBeforeAnyOtherThreadsMessage) {
  constexpr std::uint32_t kMessages = 200;
  first_.log.echo = &first_.channel;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (std::uint32_t i = 0; i < kMessages; ++i) {
        first_.channel.send_control(kFirst, RankInstalled{1});
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  ASSERT_EQ(first_.log.lines.size(), 6 * 4 * kMessages);
  for (std::size_t i = 0; i < first_.log.lines.size(); i += 6) {
    ASSERT_EQ(first_.log.lines[i], "0: installed 1");
    ASSERT_EQ(first_.log.lines[i + 2], "0: installed 0");
    ASSERT_EQ(first_.log.lines[i + 4], "0: installed 0");
    ASSERT_EQ(first_.log.threads[i], first_.log.threads[i + 5]);
  }
}

TEST_F(ControlChannels, AMessageThatAPartDoesNotKnowStopsTheProgramAndNamesItsKind) {
  EXPECT_DEATH(first_.channel.send_control(kFirst, StepOver{}), "step_over");
}

TEST(ControlKinds, EachNamesItsPart) {
  EXPECT_EQ(info_of(ControlKind::flush_marker).part, ControlPart::step);
  EXPECT_EQ(info_of(ControlKind::spawn_world).part, ControlPart::spawning);
  EXPECT_EQ(info_of(ControlKind::idle_query).part, ControlPart::termination);
  EXPECT_FALSE(info_of(ControlKind::idle_query).counted);
  EXPECT_TRUE(info_of(ControlKind::migration_image).counted);
}

}  // namespace
}  // namespace weft::runtime

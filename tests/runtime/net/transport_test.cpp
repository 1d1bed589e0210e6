// What every transport guarantees, tested over each of them.
#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tests/runtime/net/fabric_world.hpp"
#include "tests/runtime/net/router_world.hpp"
#include "tests/sanitized.hpp"

namespace weft::net::test {
namespace {

class TransportTest : public testing::TestWithParam<Setting> {};
class DoorbellTest : public testing::TestWithParam<Setting> {};

std::vector<Setting> settings_with_doorbells() {
  std::vector<Setting> all = all_settings();
  all.push_back(router_setting());
  return all;
}

// A fabric transport polls with its own thread while its workers sleep.
std::vector<Setting> settings() {
  std::vector<Setting> all = settings_with_doorbells();
  all.push_back(fabric_setting("fabric", false, {}));
  all.push_back(fabric_setting("fabric_messages", false, {.remote_reads = false}));
  all.push_back(fabric_setting("fabric_forked", true, {}));
  return all;
}

INSTANTIATE_TEST_SUITE_P(Net, TransportTest, testing::ValuesIn(settings()),
                         [](const auto& given) { return std::string(given.param.name); });
INSTANTIATE_TEST_SUITE_P(Net, DoorbellTest, testing::ValuesIn(settings_with_doorbells()),
                         [](const auto& given) { return std::string(given.param.name); });

// The message number `index` from `from`: its length and bytes follow from both.
std::vector<std::byte> numbered(std::uint32_t from, std::uint64_t index, std::size_t most) {
  std::mt19937_64 random(index * 64 + from);
  const std::size_t longest = index % 8 == 0 ? most : std::min<std::size_t>(most, 200);
  std::vector<std::byte> message(8 + random() % (longest - 7));
  std::memcpy(message.data(), &index, sizeof(index));
  for (std::size_t i = 8; i < message.size(); ++i) {
    message[i] = static_cast<std::byte>(index + from + i * 7);
  }
  return message;
}

// Checks that numbered() messages of each process come whole, once and in order.
struct InOrder {
  InOrder(Peer& me, std::size_t most) : most_bytes(most), next(me.processes()) {
    me.on_message([this](ProcessId from, std::span<const std::byte> message) {
      const std::uint64_t index = next[number(from)]++;
      const std::vector<std::byte> expected = numbered(number(from), index, most_bytes);
      ASSERT_EQ(message.size(), expected.size()) << "message " << index << " from " << number(from);
      ASSERT_TRUE(std::equal(message.begin(), message.end(), expected.begin()));
    });
  }
  std::size_t most_bytes;
  std::vector<std::uint64_t> next;
};

void send_split(Peer& me, std::uint32_t to, std::span<const std::byte> message) {
  const std::size_t head = message.size() % 3 == 0 ? 0 : message.size() * (message.size() % 5) / 4;
  me.send(to, message.first(head), message.subspan(head));
}

TEST_P(TransportTest, KeepsTheOrderOfEachPair) {
  static constexpr std::uint64_t kMessages = kSanitized ? 50 : 500;
  run(GetParam(), 3, [](Peer& me) {
    InOrder in_order(me, me.transport().longest_message());
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      for (std::uint32_t to = 0; to < me.processes(); ++to) {
        send_split(me, to, numbered(me.self(), i, in_order.most_bytes));
      }
      if (i % 16 == 0) {
        me.transport().poll();
      }
    }
    me.finish();
    EXPECT_EQ(in_order.next, std::vector<std::uint64_t>(me.processes(), kMessages));
  });
}

TEST_P(TransportTest, TakesAFloodWithoutWaitingForTheReceiver) {
  static constexpr std::uint64_t kMessages = kSanitized ? 4000 : 20000;
  run(GetParam(), 2, [](Peer& me) {
    InOrder in_order(me, 100);
    if (me.self() == 0) {
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        send_split(me, 1, numbered(0, i, 100));
      }
    }
    // No process polls before process 0 has sent everything, unless process 1 is ahead of it.
    me.finish();
    if (me.self() == 1) {
      EXPECT_EQ(in_order.next[0], kMessages);
    }
  });
}

TEST_P(TransportTest, CarriesEveryLength) {
  run(GetParam(), 2, [](Peer& me) {
    std::vector<std::size_t> lengths(130);
    std::iota(lengths.begin(), lengths.end(), 0);
    lengths.push_back(me.transport().longest_message() - 1);
    lengths.push_back(me.transport().longest_message());
    std::atomic<std::size_t> arrived = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) {
      ASSERT_EQ(message.size(), lengths[arrived]);
      EXPECT_TRUE(std::all_of(message.begin(), message.end(),
                              [&](std::byte byte) { return byte == static_cast<std::byte>(message.size()); }));
      ++arrived;
    });
    for (const std::size_t length : lengths) {
      const std::vector<std::byte> message(length, static_cast<std::byte>(length));
      me.send(1 - me.self(), message);
    }
    me.finish();
    EXPECT_EQ(arrived, lengths.size());
  });
}

TEST_P(TransportTest, KeepsTheOrderOfEachThread) {
  static constexpr std::uint64_t kThreads = 4;
  static constexpr std::uint64_t kMessages = kSanitized ? 600 : 3000;
  run(GetParam(), 2, [](Peer& me) {
    std::vector<std::uint64_t> next(kThreads);
    me.on_message([&](ProcessId, std::span<const std::byte> message) {
      const std::uint64_t word = Peer::word_in(message);
      EXPECT_EQ(word / kThreads, next[word % kThreads]++);
    });
    // All threads send, and all but the first poll; the sink sees one of them at a time.
    std::vector<std::thread> threads;
    for (std::uint64_t thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (std::uint64_t i = 0; i < kMessages; ++i) {
          me.send_word(1 - me.self(), i * kThreads + thread);
          if (thread != 0 && i % 8 == thread) {
            me.transport().poll();
          }
        }
      });
    }
    for (std::thread& thread : threads) {
      thread.join();
    }
    me.finish();
    EXPECT_EQ(next, std::vector<std::uint64_t>(kThreads, kMessages));
  });
}

TEST_P(TransportTest, AnswersFromWithinTheSink) {
  static constexpr std::uint64_t kRounds = kSanitized ? 500 : 2000;
  run(GetParam(), 2, [](Peer& me) {
    std::atomic<std::uint64_t> last = 0;
    me.on_message([&](ProcessId from, std::span<const std::byte> message) {
      last = Peer::word_in(message);
      if (last < kRounds) {
        me.send_word(number(from), last + 1);
      }
    });
    if (me.self() == 0) {
      me.send_word(1, 1);
    }
    me.poll_until([&] { return last + 1 >= kRounds; });
    me.finish();
  });
}

// Memory that a peer reads. A message gives the peer its address.
struct Source {
  explicit Source(std::size_t bytes) : memory(bytes + 64) {
    for (std::size_t i = 0; i < memory.size(); ++i) {
      memory[i] = byte_at(i);
    }
  }
  static std::byte byte_at(std::size_t i) { return static_cast<std::byte>(i * 31 + i / 251); }
  std::vector<std::byte> memory;
};

struct CountedRead : Read {
  std::atomic<int>* over = nullptr;
  std::vector<std::byte> bytes;
  std::size_t offset = 0;

  void start(Peer& me, std::uint32_t whose, std::uint64_t source, std::size_t at, std::size_t length) {
    offset = at;
    bytes.resize(length);
    from = ProcessId{whose};
    address = reinterpret_cast<const void*>(source + at);
    into = bytes;
    finished = [](Read& read) { ++*static_cast<CountedRead&>(read).over; };
    me.transport().read(*this);
  }
  bool holds_source() const {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] != Source::byte_at(offset + i)) {
        return false;
      }
    }
    return true;
  }
};

using Places = std::vector<std::pair<std::size_t, std::size_t>>;  // offset and length

// Reads `places` in the sources of the processes in `of`.
void read_all(Peer& me, const Places& places, const std::vector<std::uint32_t>& of, std::size_t source_bytes) {
  const Source source(source_bytes);
  std::vector<std::atomic<std::uint64_t>> addresses(me.processes());
  me.on_message(
      [&](ProcessId from, std::span<const std::byte> message) { addresses[number(from)] = Peer::word_in(message); });
  for (std::uint32_t to = 0; to < me.processes(); ++to) {
    me.send_word(to, reinterpret_cast<std::uint64_t>(source.memory.data()));
  }
  me.poll_until([&] { return std::count(addresses.begin(), addresses.end(), 0) == 0; });
  std::atomic<int> over = 0;
  std::vector<CountedRead> reads(places.size() * of.size());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    const auto [offset, length] = places[i / of.size()];
    const std::uint32_t whose = of[i % of.size()];
    reads[i].over = &over;
    reads[i].start(me, whose, addresses[whose], offset, length);
  }
  me.poll_until([&] { return over == static_cast<int>(reads.size()); });
  EXPECT_TRUE(std::all_of(reads.begin(), reads.end(), [](const CountedRead& read) { return read.holds_source(); }));
  me.finish();
}

TEST_P(TransportTest, ReadsAnyLengthFromAnyAddress) {
  run(GetParam(), 3, [](Peer& me) {
    Places places;
    for (std::size_t i = 0; i < 40; ++i) {
      places.emplace_back(i % 17, i);
      places.emplace_back(i % 17, 40 * i * i + i);
    }
    read_all(me, places, {0, 1, 2}, 70000);
  });
}

TEST_P(TransportTest, ReadsMuch) {
  run(GetParam(), 2, [](Peer& me) {
    static constexpr std::uint64_t kMuch = (kSanitized ? 4 : 64) << 20;
    const bool reads = me.self() == 0;
    read_all(me, {{1, kMuch}, {0, (1 << 20) + 1}}, reads ? std::vector{1U} : std::vector<std::uint32_t>(),
             reads ? 0 : kMuch);
  });
}

// What a worker does until `holds`: polls, and sleeps whenever it may.
template <typename Holds>
void work_until(Transport& transport, Doorbell& doorbell, const Holds& holds) {
  while (!holds()) {
    if (transport.poll()) {
      continue;
    }
    const std::uint32_t seen = announce_sleep(doorbell);
    if (!holds() && transport.may_sleep()) {
      sleep(doorbell, seen);
    } else {
      stay_awake(doorbell);
    }
  }
}

// One worker that sleeps whenever it may, and a sender that gives it time to: a lost wake-up never ends.
TEST_P(DoorbellTest, WakesWhoSleeps) {
  static constexpr std::uint64_t kRounds = 3000;
  run(GetParam(), 2, [](Peer& me) {
    std::atomic<std::uint64_t> last = 0;
    std::mt19937_64 random(me.self());
    me.on_message([&](ProcessId, std::span<const std::byte> message) { last = Peer::word_in(message); });
    Doorbell* const doorbell = me.transport().doorbell(0);
    ASSERT_NE(doorbell, nullptr);
    for (std::uint64_t round = 1; round <= kRounds; ++round) {
      if (round % 2 == me.self()) {
        for (std::uint64_t i = random() % 300; i > 0; --i) {
          asm volatile("");
        }
        me.send_word(1 - me.self(), round);
      } else {
        work_until(me.transport(), *doorbell, [&] { return last >= round; });
      }
    }
    me.finish();
  });
}

// The sender sleeps with messages for which there was no space. The receiver wakes it when there is space.
TEST_P(DoorbellTest, WakesWhoWaitsForRoom) {
  run(GetParam(), 2, [](Peer& me) {
    const std::size_t bytes = me.transport().longest_message();
    static constexpr std::uint64_t kMessages = 100;
    std::atomic<std::uint64_t> arrived = 0;
    me.on_message([&](ProcessId, std::span<const std::byte>) { ++arrived; });
    if (me.self() == 0) {
      const std::vector<std::byte> message(bytes);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        me.send(1, message);
      }
      work_until(me.transport(), *me.transport().doorbell(0), [&] { return me.transport().is_drained(); });
    } else {
      me.poll_until([&] { return arrived == kMessages; });
    }
    me.finish();
  });
}

// A thread that never polls sends more than the ring holds while the only worker sleeps.
TEST_P(DoorbellTest, WakesForWhatAnotherThreadSends) {
  run(GetParam(), 2, [](Peer& me) {
    const std::size_t bytes = me.transport().longest_message();
    static constexpr std::uint64_t kMessages = 100;
    std::atomic<std::uint64_t> arrived = 0;
    me.on_message([&](ProcessId, std::span<const std::byte>) { ++arrived; });
    if (me.self() == 0) {
      Doorbell& doorbell = *me.transport().doorbell(0);
      std::atomic<bool> sent = false;
      std::jthread worker(
          [&] { work_until(me.transport(), doorbell, [&] { return sent && me.transport().is_drained(); }); });
      while (doorbell.asleep == 0) {
        std::this_thread::yield();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      const std::vector<std::byte> message(bytes);
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        me.send(1, message);
      }
      sent = true;
      me.send_word(1, 1);
    } else {
      me.poll_until([&] { return arrived == kMessages + 1; });
      me.send_word(0, 1);
    }
    me.finish();
  });
}

// Several workers of one process sleep. Any of them may receive each message.
TEST_P(DoorbellTest, WakesOneOfSeveral) {
  static constexpr std::uint32_t kWorkers = 3;
  static constexpr std::uint64_t kMessages = 2000;
  const Body body = [&](Peer& me) {
    std::atomic<std::uint64_t> arrived = 0;
    me.on_message([&](ProcessId from, std::span<const std::byte>) {
      ++arrived;
      me.send_word(number(from), 1);
    });
    if (me.self() == 1) {
      std::vector<std::thread> workers;
      for (std::uint32_t i = 0; i < kWorkers; ++i) {
        workers.emplace_back([&, i] {
          work_until(me.transport(), *me.transport().doorbell(i), [&] { return arrived >= kMessages; });
          for (std::uint32_t other = 0; other < kWorkers; ++other) {
            ring(*me.transport().doorbell(other));
          }
        });
      }
      for (std::thread& worker : workers) {
        worker.join();
      }
    } else {
      me.on_message([&](ProcessId, std::span<const std::byte>) { ++arrived; });
      for (std::uint64_t i = 0; i < kMessages; ++i) {
        me.send_word(1, 1);
        if (i % 5 == 0) {
          me.poll_until([&] { return arrived == i + 1; });
        }
      }
      me.poll_until([&] { return arrived == kMessages; });
    }
    me.finish();
  };
  run(GetParam(), 2, body, kWorkers);
}

}  // namespace
}  // namespace weft::net::test

// What FabricTransport guarantees beyond every transport: progress without polls, losses, addresses, hosts.
#include "runtime/net/fabric.hpp"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>

#include <cstdlib>
#include <stdexcept>

#include "runtime/net/fabric_wire.hpp"
#include "tests/runtime/net/fabric_world.hpp"

namespace weft::net::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

void run_world(World& world, std::uint32_t processes, const Body& body) { run_forked(world, processes, body); }

TEST(Fabric, DeliversAndAnswersWhileNobodyPolls) {
  FabricWorld world(2, {});
  run_world(world, 2, [](Peer& me) {
    static constexpr std::uint64_t kRounds = 200;
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
    await([&] { return last + 1 >= kRounds; }, "the last round");
    EXPECT_TRUE(me.transport().writes_are_seen()) << "tcp copies what it reads";
    me.finish();
  });
}

TEST(Fabric, SendsAFloodWhileNobodyPolls) {
  FabricWorld world(2, {});
  run_world(world, 2, [](Peer& me) {
    static constexpr std::uint64_t kMessages = 3000;
    std::atomic<std::uint64_t> next = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) {
      EXPECT_EQ(Peer::word_in(message), next);
      ++next;
    });
    std::vector<std::byte> body(10000);
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      me.send(1 - me.self(), std::as_bytes(std::span(&i, 1)), std::span(body).first(i % 7 == 0 ? body.size() : 0));
    }
    await([&] { return next == kMessages && me.transport().is_drained(); }, "the last message");
    me.finish();
  });
}

struct WaitedRead : Read {
  std::atomic<bool> over = false;
};

void read_while_nobody_polls(const FabricOptions& options) {
  FabricWorld world(2, options);
  run_world(world, 2, [](Peer& me) {
    static constexpr std::size_t kWords = 500'000;
    std::vector<std::uint64_t> source(kWords);
    for (std::size_t i = 0; i < kWords; ++i) {
      source[i] = i * 3 + me.self();
    }
    std::atomic<std::uint64_t> theirs = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) { theirs = Peer::word_in(message); });
    me.send_word(1 - me.self(), reinterpret_cast<std::uint64_t>(source.data()));
    await([&] { return theirs != 0; }, "the address");
    std::vector<std::uint64_t> into(kWords);
    WaitedRead read;
    read.from = ProcessId{1 - me.self()};
    read.address = reinterpret_cast<const void*>(theirs.load());
    read.into = std::as_writable_bytes(std::span(into));
    read.finished = [](Read& finished) { static_cast<WaitedRead&>(finished).over = true; };
    me.transport().read(read);
    await([&] { return read.over.load(); }, "the read");
    for (std::size_t i = 0; i < kWords; ++i) {
      ASSERT_EQ(into[i], i * 3 + 1 - me.self());
    }
    me.finish();
  });
}

TEST(Fabric, ReadsWhileNobodyPolls) { read_while_nobody_polls({}); }
TEST(Fabric, ReadsThroughMessagesWhileNobodyPolls) { read_while_nobody_polls({.remote_reads = false}); }

// Both poll for a while, announce it, and sleep. Later messages must arrive without another poll.
TEST(Fabric, TakesOverFromSleepingWorkers) {
  FabricWorld world(2, {});
  run_world(world, 2, [](Peer& me) {
    std::atomic<std::uint64_t> last = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) { last = Peer::word_in(message); });
    for (std::uint64_t round = 1; round <= 300; ++round) {
      if (round % 2 == me.self()) {
        me.send_word(1 - me.self(), round);
        continue;
      }
      for (int poll = 0; poll < 20 && last < round; ++poll) {
        me.transport().poll();
      }
      EXPECT_TRUE(me.transport().may_sleep());
      await([&] { return last >= round; }, "a message for a sleeping worker");
    }
    me.finish();
  });
}

// Runs `body` in a child, for tests that need a process that has not used libfabric yet.
void run_apart(const std::function<void()>& body) {
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    std::fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

// Two network namespaces joined by a pair of interfaces stand for two hosts.
class TwoHosts {
 public:
  TwoHosts() : name_("weft" + std::to_string(getpid() % 100'000)) {
    made_ = shell("ip netns add " + name_ + "a") && shell("ip netns add " + name_ + "b") &&
            shell("ip -n " + name_ + "a link add veth0 type veth peer name veth0 netns " + name_ + "b") &&
            shell("ip -n " + name_ + "a addr add 10.77.0.1/24 dev veth0") &&
            shell("ip -n " + name_ + "b addr add 10.77.0.2/24 dev veth0") &&
            shell("ip -n " + name_ + "a link set lo up") && shell("ip -n " + name_ + "b link set lo up") &&
            shell("ip -n " + name_ + "a link set veth0 up") && shell("ip -n " + name_ + "b link set veth0 up") &&
            is_up("a") && is_up("b");
  }
  ~TwoHosts() {
    shell("ip netns del " + name_ + "a");
    shell("ip netns del " + name_ + "b");
  }
  TwoHosts(const TwoHosts&) = delete;
  TwoHosts& operator=(const TwoHosts&) = delete;

  bool made() const { return made_; }
  // Moves the calling thread, and threads that it makes, to a host.
  bool enter(std::uint32_t host) const {
    const std::string path = "/run/netns/" + name_ + (host == 0 ? "a" : "b");
    const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = space >= 0 && setns(space, CLONE_NEWNET) == 0;
    close(space);
    return entered;
  }

 private:
  // The kernel may take a second to notice that the other end is up.
  bool is_up(const std::string& host) const {
    return shell("for i in $(seq 100); do ip -n " + name_ + host +
                 " link show veth0 | grep -q 'state UP' && exit 0; sleep 0.1; done; exit 1");
  }
  static bool shell(const std::string& command) { return std::system((command + " 2> /dev/null").c_str()) == 0; }

  const std::string name_;
  bool made_;
};

class HostsWorld final : public World {
 public:
  explicit HostsWorld(const TwoHosts& hosts) : hosts_(hosts), fabric_(2, {.interface = "veth0"}) {}

  void enter(Peer& me, const Body& body) override {
    ASSERT_TRUE(hosts_.enter(me.self()));
    fabric_.enter(me, body);
  }

 private:
  const TwoHosts& hosts_;
  FabricWorld fabric_;
};

// Before the tests that use libfabric in this process: it knows interfaces from its first use on, in children too.
TEST(Fabric, JoinsTwoHosts) {
  const TwoHosts hosts;
  if (!hosts.made()) {
    GTEST_SKIP() << "network namespaces need root and the ip command";
  }
  HostsWorld world(hosts);
  run_world(world, 2, [](Peer& me) {
    static constexpr std::uint64_t kMessages = 2000;
    std::uint64_t next = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) { EXPECT_EQ(Peer::word_in(message), next++); });
    const std::vector<std::byte> body(30000);
    for (std::uint64_t i = 0; i < kMessages; ++i) {
      me.send(1 - me.self(), std::as_bytes(std::span(&i, 1)),
              std::span(body).first(i % 11 == 0 ? body.size() : i % 50));
    }
    me.finish();
    EXPECT_EQ(next, kMessages);
  });
}

TEST(Fabric, KeepsSignalHandlers) {
  run_apart([] {
    struct sigaction ours {};
    ours.sa_handler = [](int) {};
    sigaction(SIGSEGV, &ours, nullptr);
    Quiet sink;
    const FabricTransport transport(ProcessId{0}, sink);
    struct sigaction now {};
    sigaction(SIGSEGV, nullptr, &now);
    EXPECT_EQ(now.sa_handler, ours.sa_handler);
    sigaction(SIGTERM, nullptr, &now);
    EXPECT_EQ(now.sa_handler, SIG_DFL);
  });
}

// The process dies during sends and a read. Neither later sends nor the end of the transport may hang.
TEST(Fabric, DoesNotHangWhenAProcessDies) {
  AddressBoard board(2);
  std::fflush(nullptr);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  Quiet sink;
  const std::uint32_t self = child == 0 ? 1 : 0;
  std::atomic<int> told = 0;
  FabricTransport transport(ProcessId{self}, sink, {.lost = [&](ProcessId process, std::string_view why) {
                              EXPECT_EQ(process, ProcessId{1});
                              EXPECT_FALSE(why.empty());
                              ++told;
                            }});
  transport.connect(board.exchange(self, transport.address()));
  std::vector<std::byte> message(50000);
  if (child == 0) {
    transport.send(ProcessId{0}, message, {});
    await([] { return false; }, "the end");
  }
  await([&] { return sink.messages == 1; }, "the first message");
  std::vector<std::byte> into(64 << 20);
  Read read;
  read.from = ProcessId{1};
  read.address = message.data();
  read.into = into;
  read.finished = [](Read&) {};
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  transport.read(read);
  const auto start = steady_clock::now();
  while (steady_clock::now() - start < milliseconds(500)) {
    transport.send(ProcessId{1}, message, {});
    transport.poll();
    std::this_thread::sleep_for(milliseconds(1));
  }
  EXPECT_LE(told, 1);
}

TEST(Fabric, RefusesWhatIsNotThere) {
  Quiet sink;
  try {
    const FabricTransport refused(ProcessId{0}, sink, {.provider = "no_such"});
    FAIL() << "a provider that libfabric does not have";
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("no_such"), std::string::npos);
  }
  EXPECT_THROW(FabricTransport(ProcessId{0}, sink, {.interface = "no_such_interface"}), std::runtime_error);
}

TEST(Fabric, RefusesAnotherProvidersAddress) {
  Quiet sink;
  FabricTransport transport(ProcessId{0}, sink);
  FabricAddress other = FabricAddress::from(transport.address());
  other.provider = "verbs;ofi_rxm";
  try {
    transport.connect({"", other.bytes()});
    FAIL() << "the other provider's address was taken";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "processes 0 and 1 use different libfabric providers: tcp;ofi_rxm and verbs;ofi_rxm");
  }
  FabricTransport another(ProcessId{0}, sink);
  EXPECT_THROW(another.connect({"what is this"}), std::runtime_error);
}

TEST(Fabric, AddressKeepsItsParts) {
  using namespace std::string_literals;
  const FabricAddress address{"tcp;ofi_rxm", true, 0xfedc'ba98'7654'3210, "\0 a\n \xff"s};
  const FabricAddress again = FabricAddress::from(address.bytes());
  EXPECT_EQ(again.provider, address.provider);
  EXPECT_TRUE(again.readable);
  EXPECT_EQ(again.key, address.key);
  EXPECT_EQ(again.name, address.name);
  EXPECT_FALSE((FabricAddress::from(FabricAddress{"shm", false, 0, ""}.bytes()).readable));
  EXPECT_THROW(FabricAddress::from(""), std::runtime_error);
  EXPECT_THROW(FabricAddress::from("weft-fabric-2 tcp"), std::runtime_error);
}

}  // namespace
}  // namespace weft::net::test

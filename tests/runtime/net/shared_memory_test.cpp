// What shared memory guarantees beyond every transport: reachable processes, cleanup, and a kernel that refuses.
#include "runtime/net/shared_memory.hpp"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "runtime/net/doorbell.hpp"
#include "runtime/net/segment.hpp"
#include "tests/forbidden_call.hpp"
#include "tests/runtime/net/worlds.hpp"

namespace weft::net::test {
namespace {

struct Silent final : Sink {
  void arrived(ProcessId /*from*/, std::span<const std::byte> /*message*/) override { ++messages; }
  int messages = 0;
};

TEST(SharedMemoryTest, ReadsByMessagesWhereTheKernelRefuses) {
  class Refused final : public World {
   public:
    void enter(Peer& me, const Body& body) override {
      ASSERT_TRUE(weft::test::forbid_call(SYS_process_vm_readv));
      inner_.enter(me, body);
    }

   private:
    SharedMemoryWorld inner_{2, {}};
  };
  Refused world;
  run_forked(world, 2, [](Peer& me) {
    auto& transport = dynamic_cast<SharedMemory&>(me.transport());
    EXPECT_FALSE(transport.reads_by_kernel(ProcessId{1 - me.self()}));
    std::vector<std::uint64_t> here(100000, 7 + me.self());
    std::uint64_t there = 0;
    me.on_message([&](ProcessId, std::span<const std::byte> message) { there = Peer::word_in(message); });
    me.send_word(1 - me.self(), reinterpret_cast<std::uint64_t>(here.data()));
    me.poll_until([&] { return there != 0; });
    std::vector<std::uint64_t> copy(here.size());
    static bool over = false;
    Read read;
    read.from = ProcessId{1 - me.self()};
    read.address = reinterpret_cast<const void*>(there);
    read.into = std::as_writable_bytes(std::span(copy));
    read.finished = [](Read&) { over = true; };
    transport.read(read);
    EXPECT_FALSE(transport.is_drained());
    me.poll_until([&] { return over; });
    EXPECT_EQ(copy, std::vector<std::uint64_t>(here.size(), 8 - me.self()));
    me.finish();
  });
}

TEST(SharedMemoryTest, KnowsWhoIsOnItsNode) {
  Silent sink;
  const SharedMemory one(ProcessId{0}, 2, sink);
  const SharedMemory other(ProcessId{1}, 2, sink);
  EXPECT_TRUE(same_node(one.address(), other.address()));
  EXPECT_FALSE(same_node(one.address(), "0815-4711/99 " + other.address().substr(other.address().find(' ') + 1)));
}

TEST(SharedMemoryTest, SaysWhyAPeerCannotBeReached) {
  Silent sink;
  SharedMemory one(ProcessId{0}, 2, sink);
  EXPECT_THROW(one.connect(ProcessId{1}, "nonsense"), std::runtime_error);
  std::string gone;
  {
    const SharedMemory other(ProcessId{1}, 2, sink);
    gone = other.address();
  }
  try {
    one.connect(ProcessId{1}, gone);
    FAIL() << "connected to what is gone";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("/proc/" + std::to_string(getpid()) + "/fd/"));
  }
}

TEST(SharedMemoryTest, IsFilledOnlyByWhoeverKnowsItsKey) {
  Silent sink;
  SharedMemory one(ProcessId{0}, 2, sink);
  SharedMemory other(ProcessId{1}, 2, sink);
  std::string address = other.address();
  const std::string key = std::to_string(Segment(address).key());
  address.replace(address.find(key), key.size(), std::to_string(~std::uint64_t{0}));
  EXPECT_THROW(one.connect(ProcessId{1}, address), std::runtime_error);
}

TEST(SharedMemoryTest, IsOpenToItsOwnerOnly) {
  Silent sink;
  const SharedMemory one(ProcessId{0}, 1, sink);
  std::istringstream address(one.address());
  std::string node, process, file;
  address >> node >> process >> file;
  struct stat found {};
  ASSERT_EQ(stat(("/proc/self/fd/" + file).c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 07777, 0600U);
}

std::size_t open_files() {
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    ++files;
  }
  return files;
}

TEST(SharedMemoryTest, LeavesNothing) {
  const std::size_t files = open_files();
  {
    Silent sink;
    SharedMemory one(ProcessId{0}, 1, sink);
    one.connect(ProcessId{0}, one.address());
  }
  EXPECT_EQ(open_files(), files);
  std::ifstream maps("/proc/self/maps");
  const std::string all(std::istreambuf_iterator<char>(maps), {});
  EXPECT_EQ(all.find("memfd:weft"), std::string::npos);
}

TEST(SharedMemoryTest, LeavesNothingWhereItCannotBeMade) {
  const std::size_t files = open_files();
  EXPECT_THROW(Segment(std::size_t{1} << 62, 1, 2), std::runtime_error);
  EXPECT_EQ(open_files(), files);
}

// A writer that never completes its record. Nobody may take the ring for empty, and no call may block.
TEST(SharedMemoryTest, AWriterThatDiesBlocksNoCallAndIsNotTakenForSilence) {
  Silent sink;
  SharedMemory one(ProcessId{0}, 2, sink, {.ring_bytes = 4096});
  one.connect(ProcessId{0}, one.address());
  const Segment dead(one.address());
  dead.rings().front().control->tail.fetch_add(64);
  const std::uint64_t word = 1;
  for (int i = 0; i < 1000; ++i) {
    one.send(ProcessId{0}, std::as_bytes(std::span(&word, 1)), {});
    EXPECT_FALSE(one.poll());
  }
  EXPECT_EQ(sink.messages, 0);
  EXPECT_FALSE(one.may_sleep());
  EXPECT_FALSE(one.is_drained());
}

// With a ring per peer, the other rings continue, messages sent before the death arrive, and nothing waits for the dead
// process.
TEST(SharedMemoryTest, APeerThatMayDieBlocksNobody) {
  Silent sink;
  SharedMemory one(ProcessId{0}, 2, sink, {.ring_bytes = 4096, .peers_may_die = true});
  SharedMemory other(ProcessId{1}, 2, sink, {.ring_bytes = 4096, .peers_may_die = true});
  one.connect(ProcessId{0}, one.address());
  one.connect(ProcessId{1}, other.address());
  other.connect(ProcessId{0}, one.address());
  const std::uint64_t word = 1;
  const auto bytes = std::as_bytes(std::span(&word, 1));
  other.send(ProcessId{0}, bytes, {});
  const Segment dead(one.address());
  dead.ring_of(ProcessId{1}).control->tail.fetch_add(64);  // process 1 dies in the middle of its second message
  one.send(ProcessId{0}, bytes, {});
  EXPECT_TRUE(one.poll());
  EXPECT_EQ(sink.messages, 2);
  EXPECT_FALSE(one.may_sleep());
  for (int i = 0; i < 200; ++i) {
    one.send(ProcessId{1}, bytes, {});  // more than its ring takes
  }
  EXPECT_FALSE(one.is_drained());
  one.lose(ProcessId{1});
  EXPECT_TRUE(one.may_sleep());
  EXPECT_TRUE(one.is_drained());
  one.send(ProcessId{1}, bytes, {});
  EXPECT_TRUE(one.is_drained());
  std::uint64_t into = 0;
  static bool lost = false;
  Read read;
  read.from = ProcessId{1};
  read.address = &word;
  read.into = std::as_writable_bytes(std::span(&into, 1));
  read.finished = [](Read& over) { lost = over.lost; };
  one.read(read);
  EXPECT_TRUE(lost);
  EXPECT_EQ(into, 0U);
}

// Two connected processes. Both workers of the first one are asleep, as its doorbells say.
struct SleepingWriter {
  explicit SleepingWriter(bool kernel_reads = true) {
    const SharedMemoryOptions options{.workers = 2, .ring_bytes = 4096, .kernel_reads = kernel_reads};
    writer.emplace(ProcessId{0}, 2, sink, options);
    reader.emplace(ProcessId{1}, 2, sink, options);
    writer->connect(ProcessId{1}, reader->address());
    reader->connect(ProcessId{0}, writer->address());
  }
  void sleep() {
    announce_sleep(*writer->doorbell(0));
    announce_sleep(*writer->doorbell(1));
  }
  bool is_asleep(std::uint32_t worker) { return writer->doorbell(worker)->asleep != 0; }
  void read_all() {
    while (reader->poll()) {
    }
  }

  Silent sink;
  std::optional<SharedMemory> writer;
  std::optional<SharedMemory> reader;
};

// The worker that was woken may run a rank for long once it has sent what there is room for.
TEST(SharedMemoryTest, WakesAnotherWorkerForEachPartOfWhatWaits) {
  constexpr int kMessages = 100;  // several times what the ring takes
  SleepingWriter two;
  const std::vector<std::byte> message(200);
  for (int i = 0; i < kMessages; ++i) {
    two.writer->send(ProcessId{1}, message, {});
  }
  two.sleep();
  EXPECT_TRUE(two.writer->may_sleep());
  while (two.is_asleep(0)) {
    ASSERT_TRUE(two.reader->poll());
  }
  EXPECT_TRUE(two.is_asleep(1));
  EXPECT_TRUE(two.writer->poll());
  EXPECT_FALSE(two.writer->is_drained());
  two.read_all();
  EXPECT_FALSE(two.is_asleep(1));
  while (two.writer->poll()) {
    two.read_all();
  }
  EXPECT_EQ(two.sink.messages, kMessages);
  EXPECT_TRUE(two.writer->is_drained());
}

TEST(SharedMemoryTest, WakesAnotherWorkerForEachPartOfALongAnswer) {
  SleepingWriter two(false);
  const std::vector<std::uint64_t> source(4000, 7);
  std::vector<std::uint64_t> copy(source.size());
  static bool over;
  over = false;
  Read read;
  read.from = ProcessId{0};
  read.address = source.data();
  read.into = std::as_writable_bytes(std::span(copy));
  read.finished = [](Read&) { over = true; };
  two.sleep();
  two.reader->read(read);
  EXPECT_FALSE(two.is_asleep(0));
  EXPECT_TRUE(two.is_asleep(1));
  EXPECT_TRUE(two.writer->poll());
  two.read_all();
  EXPECT_FALSE(over);
  EXPECT_FALSE(two.is_asleep(1));
  while (two.writer->poll()) {
    two.read_all();
  }
  EXPECT_TRUE(over);
  EXPECT_EQ(copy, source);
}

TEST(SharedMemoryTest, AReadFromAProcessThatIsGoneNeverFinishes) {
  Silent sink;
  SharedMemory one(ProcessId{0}, 2, sink);
  int pipe_ends[2];
  ASSERT_EQ(pipe(pipe_ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    const SharedMemory other(ProcessId{1}, 2, sink);
    const std::string text = other.address() + "\n";
    if (write(pipe_ends[1], text.data(), text.size()) > 0) {
      pause();
    }
    _exit(0);
  }
  char text[256] = {};
  ASSERT_GT(read(pipe_ends[0], text, sizeof(text) - 1), 0);
  one.connect(ProcessId{1}, std::string(text).substr(0, std::string(text).find('\n')));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  std::uint64_t into = 0;
  static bool over = false;
  Read read;
  read.from = ProcessId{1};
  read.address = &into;
  read.into = std::as_writable_bytes(std::span(&into, 1));
  read.finished = [](Read&) { over = true; };
  one.read(read);
  for (int i = 0; i < 1000; ++i) {
    one.send(ProcessId{1}, std::as_bytes(std::span(&into, 1)), {});
    one.poll();
  }
  EXPECT_FALSE(over);
  EXPECT_FALSE(one.is_drained());
  close(pipe_ends[0]);
  close(pipe_ends[1]);
}

}  // namespace
}  // namespace weft::net::test

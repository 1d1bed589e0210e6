// Measures a transport of runtime/net between two processes of one node that poll.
//   net_bench shared_memory [ring bytes, from 128 KiB]   prints lines "name value" with the unit in the name
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/net/shared_memory.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using weft::ProcessId;
using weft::net::Read;
using weft::net::Transport;

constexpr int kBatches = 41;

// In memory that the two processes share: what they must know of each other before the transport is connected.
struct PeerExchange {
  std::atomic<std::uint32_t> arrived = 0;
  char address[2][256] = {};
  std::byte* memory[2] = {};
  alignas(64) std::atomic<std::uint64_t> flag[16] = {};  // one line each: 0 and 8
};

struct Counter final : weft::net::Sink {
  void arrived(ProcessId /*from*/, std::span<const std::byte> message) override {
    ++messages;
    last = message.size();
  }
  std::uint64_t messages = 0;
  std::size_t last = 0;
};

struct Side {
  Transport& transport;
  Counter& counter;
  std::uint32_t self;
  std::byte* peer_memory;
  std::uint64_t expected = 0;

  ProcessId other() const { return ProcessId{1 - self}; }
  void send(std::size_t bytes) {
    static const std::vector<std::byte> body(64 << 10);
    transport.send(other(), std::span(body).first(std::min<std::size_t>(bytes, 8)),
                   std::span(body).first(bytes - std::min<std::size_t>(bytes, 8)));
  }
  void await(std::uint64_t messages) {
    expected += messages;
    while (counter.messages < expected) {
      transport.poll();
    }
  }
};

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Prints the median and the best of the batches; best is the least, or for rates the most.
void report(const Side& side, const char* name, std::vector<double> values, bool rate = false) {
  std::sort(values.begin(), values.end());
  if (side.self == 0) {
    std::printf("%s %.4g   best %.4g\n", name, values[kBatches / 2], rate ? values.back() : values.front());
    std::fflush(stdout);
  }
}

void half_round_trip(Side& side, std::size_t bytes, int rounds, const char* name) {
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    for (int i = 0; i < rounds; ++i) {
      if (side.self == 0) {
        side.send(bytes);
        side.await(1);
      } else {
        side.await(1);
        side.send(bytes);
      }
    }
    batches.push_back(seconds_since(start) / rounds / 2 * 1e6);
  }
  report(side, name, batches);
}

// The least time that the machine needs for one cache line each way: virtual cores may be near each other or far.
void half_round_trip_of_lines(PeerExchange& exchange, const Side& side) {
  constexpr std::uint64_t kRounds = 2000;
  std::vector<double> batches;
  std::uint64_t turn = 0;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    for (std::uint64_t i = 0; i < kRounds; ++i) {
      ++turn;
      if (side.self == 0) {
        exchange.flag[0].store(turn, std::memory_order_release);
      }
      while (exchange.flag[8 - side.self * 8].load(std::memory_order_acquire) < turn) {
      }
      if (side.self == 1) {
        exchange.flag[8].store(turn, std::memory_order_release);
      }
    }
    batches.push_back(seconds_since(start) / kRounds / 2 * 1e6);
  }
  report(side, "half_round_trip_line_us", batches);
}

// Process 0 sends; process 1 answers when it has received all messages.
void stream(Side& side, std::size_t bytes, std::uint64_t messages, const char* name) {
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    if (side.self == 0) {
      for (std::uint64_t i = 0; i < messages; ++i) {
        side.send(bytes);
      }
      side.await(1);
    } else {
      side.await(messages);
      side.send(8);
    }
    batches.push_back(seconds_since(start) / static_cast<double>(messages) * 1e6);
  }
  report(side, name, batches);
}

void read_bandwidth(Side& side, std::size_t bytes, int rounds, const char* name) {
  std::vector<std::byte> into(bytes);
  std::vector<double> batches;
  for (int batch = 0; batch < kBatches; ++batch) {
    const auto start = Clock::now();
    if (side.self == 0) {
      for (int i = 0; i < rounds; ++i) {
        Read read;
        read.from = side.other();
        read.address = side.peer_memory;
        read.into = into;
        read.finished = [](Read& finished) { finished.address = nullptr; };
        side.transport.read(read);
        while (read.address != nullptr) {
          side.transport.poll();
        }
      }
      side.send(8);
    } else {
      side.await(1);
    }
    batches.push_back(static_cast<double>(bytes) * rounds / seconds_since(start) * 1e-9);
  }
  report(side, name, batches, true);
}

void measure(PeerExchange& exchange, Side side) {
  half_round_trip_of_lines(exchange, side);
  half_round_trip(side, 8, 2000, "half_round_trip_8B_us");
  half_round_trip(side, 48, 2000, "half_round_trip_48B_us");
  half_round_trip(side, 64, 2000, "half_round_trip_64B_us");
  half_round_trip(side, 1024, 1000, "half_round_trip_1KiB_us");
  half_round_trip(side, 16384, 300, "half_round_trip_16KiB_us");
  if (side.transport.longest_message() >= 64 << 10) {
    half_round_trip(side, 64 << 10, 100, "half_round_trip_64KiB_us");
  }
  stream(side, 8, 20000, "stream_8B_us_per_message");
  stream(side, 1024, 4000, "stream_1KiB_us_per_message");
  stream(side, 16384, 500, "stream_16KiB_us_per_message");
  read_bandwidth(side, 16384, 300, "read_16KiB_GB_per_s");
  read_bandwidth(side, 65536, 100, "read_64KiB_GB_per_s");
  read_bandwidth(side, 1 << 20, 10, "read_1MiB_GB_per_s");
  read_bandwidth(side, 16 << 20, 1, "read_16MiB_GB_per_s");
}

// Waits until both processes have made `times` calls.
void wait_for_both(PeerExchange& exchange, std::uint32_t times) {
  ++exchange.arrived;
  while (exchange.arrived < 2 * times) {
    usleep(100);
  }
}

void run_shared_memory(PeerExchange& exchange, std::uint32_t self, const weft::net::SharedMemoryOptions& options) {
  Counter counter;
  weft::net::SharedMemory transport(ProcessId{self}, 2, counter, options);
  std::strcpy(exchange.address[self], transport.address().c_str());
  std::vector<std::byte> memory(16 << 20, std::byte{1});
  exchange.memory[self] = memory.data();
  wait_for_both(exchange, 1);
  transport.connect(ProcessId{1 - self}, exchange.address[1 - self]);
  wait_for_both(exchange, 2);
  measure(exchange, {transport, counter, self, exchange.memory[1 - self]});
  wait_for_both(exchange, 3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view which = argc > 1 ? argv[1] : "shared_memory";
  weft::net::SharedMemoryOptions options;
  options.ring_bytes = argc > 2 ? std::stoull(argv[2]) : options.ring_bytes;
  options.kernel_reads = argc <= 3;
  if (which != "shared_memory") {
    std::fprintf(stderr, "net_bench: no transport %s\n", argv[1]);
    return 1;
  }
  void* const shared = mmap(nullptr, sizeof(PeerExchange), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto& exchange = *new (shared) PeerExchange;
  const pid_t child = fork();
  const std::uint32_t self = child == 0 ? 1 : 0;
  cpu_set_t cpus;
  CPU_ZERO(&cpus);
  CPU_SET(self, &cpus);
  sched_setaffinity(0, sizeof cpus, &cpus);
  run_shared_memory(exchange, self, options);
  if (child == 0) {
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status == 0 ? 0 : 1;
}

// One process of a job as the tests of transports see it, and the ways to run several: as threads or real processes.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <thread>
#include <vector>

#include "runtime/net/doorbell.hpp"
#include "runtime/net/transport.hpp"

namespace weft::net::test {

// Runs the same body as the other peers. The body and finish() poll its transport.
class Peer : public Sink {
 public:
  using Handler = std::function<void(ProcessId from, std::span<const std::byte> message)>;

  Peer(std::uint32_t self, std::uint32_t processes) : self_(self), processes_(processes) {}

  std::uint32_t self() const { return self_; }
  std::uint32_t processes() const { return processes_; }
  Transport& transport() { return *transport_; }
  void use(Transport& transport) { transport_ = &transport; }
  // Runs on whatever thread polls.
  void on_message(Handler handler) {
    handler_ = std::move(handler);
    listening_ = true;
  }
  // For transports polled by another thread than the body's: that thread rings the body's doorbells on each arrival.
  void ring_on_arrival(std::uint32_t workers) { rung_workers_ = workers; }

  void arrived(ProcessId from, std::span<const std::byte> message) final {
    while (!listening_) {
      std::this_thread::yield();
    }
    EXPECT_FALSE(taking_.exchange(true)) << "two calls of the sink at a time";
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(message.data()) % 8, 0U);
    if (message.size() == sizeof(kDone) && word_in(message) == kDone) {
      ++done_;
    } else {
      handler_(from, message);
    }
    taking_ = false;
    for (std::uint32_t worker = 0; worker < rung_workers_ && !ring(*transport().doorbell(worker)); ++worker) {
    }
  }

  void send(std::uint32_t to, std::span<const std::byte> head, std::span<const std::byte> body = {}) {
    transport().send(ProcessId{to}, head, body);
  }
  void send_word(std::uint32_t to, std::uint64_t word) { send(to, std::as_bytes(std::span(&word, 1))); }

  // Polls until `holds` returns true. Fails the test when nothing has arrived for a minute.
  void poll_until(const std::function<bool()>& holds) {
    listening_ = true;
    auto last = std::chrono::steady_clock::now();
    while (!holds()) {
      if (transport().poll()) {
        last = std::chrono::steady_clock::now();
      } else {
        transport().help();
      }
      std::this_thread::yield();
      if (std::chrono::steady_clock::now() - last > std::chrono::minutes(1)) {
        FAIL() << "process " << self_ << " waited for a minute";
      }
    }
  }

  // A barrier. Also waits until no message of this process is in flight.
  void finish() {
    for (std::uint32_t to = 0; to < processes_; ++to) {
      send_word(to, kDone);
    }
    poll_until([&] { return done_ == processes_ && transport().is_drained(); });
    done_ = 0;
  }

  static std::uint64_t word_in(std::span<const std::byte> message) {
    std::uint64_t word = 0;
    std::copy_n(message.begin(), std::min(sizeof(word), message.size()),
                std::as_writable_bytes(std::span(&word, 1)).begin());
    return word;
  }

 private:
  static constexpr std::uint64_t kDone = 0xd07e'd07e'd07e'd07e;

  const std::uint32_t self_;
  const std::uint32_t processes_;
  Transport* transport_ = nullptr;
  Handler handler_ = [](ProcessId, std::span<const std::byte>) { FAIL() << "a message that nobody sent"; };
  std::uint32_t rung_workers_ = 0;
  std::atomic<bool> listening_ = false;  // the body has come to where messages may arrive
  std::atomic<std::uint32_t> done_ = 0;
  std::atomic<bool> taking_ = false;
};

using Body = std::function<void(Peer& me)>;

// Connects the peer's transport to the others and runs the body with it.
class World {
 public:
  virtual ~World() = default;
  virtual void enter(Peer& me, const Body& body) = 0;
};

// A way to run a body in several processes. `make` is called before the threads or processes start.
struct Setting {
  const char* name;
  bool forked;
  std::function<std::unique_ptr<World>(std::uint32_t processes, std::uint32_t workers)> make;
};

inline void PrintTo(const Setting& setting, std::ostream* out) { *out << setting.name; }

inline void run_threads(World& world, std::uint32_t processes, const Body& body) {
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < processes; ++i) {
    threads.emplace_back([&, i] {
      Peer me(i, processes);
      world.enter(me, body);
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
}

// A child's failures are in its output and its exit status.
inline void run_forked(World& world, std::uint32_t processes, const Body& body) {
  std::fflush(nullptr);
  std::vector<pid_t> children;
  for (std::uint32_t i = 0; i < processes; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Peer me(i, processes);
      world.enter(me, body);
      std::fflush(nullptr);
      _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
}

inline void run(const Setting& setting, std::uint32_t processes, const Body& body, std::uint32_t workers = 1) {
  const std::unique_ptr<World> world = setting.make(processes, workers);
  (setting.forked ? run_forked : run_threads)(*world, processes, body);
}

}  // namespace weft::net::test

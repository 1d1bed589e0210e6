// Processes that reach some of their peers by shared memory and the others by a transport that has its own thread.
#pragma once

#include <atomic>
#include <memory>
#include <thread>
#include <utility>

#include "runtime/net/router.hpp"
#include "tests/runtime/net/worlds.hpp"

namespace weft::net::test {

// A transport that a thread of its own polls, so it has no doorbells.
class SelfPolled final : public Transport {
 public:
  explicit SelfPolled(std::unique_ptr<Transport> inner)
      : inner_(std::move(inner)), thread_([this](const std::stop_token& stop) {
          while (!stop.stop_requested()) {
            inner_->poll();
            std::this_thread::yield();
          }
        }) {}

  std::size_t longest_message() const override { return inner_->longest_message(); }
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override {
    inner_->send(to, head, body);
  }
  void read(Read& read) override { inner_->read(read); }
  bool poll() override { return inner_->poll(); }
  bool may_sleep() override { return inner_->is_drained(); }
  bool is_drained() const override { return inner_->is_drained(); }

 private:
  const std::unique_ptr<Transport> inner_;
  std::jthread thread_;
};

// Even and odd processes are on two different nodes.
class RouterWorld final : public World {
 public:
  RouterWorld(std::uint32_t processes, std::uint32_t workers)
      : processes_(processes), workers_(workers), hub_(processes, {.workers = workers, .most_delay = 1}) {}

  void enter(Peer& me, const Body& body) override {
    me.ring_on_arrival(workers_);
    Router router(me);
    auto near = std::make_unique<SharedMemory>(ProcessId{me.self()}, processes_, router.sink_for_transport(),
                                               SharedMemoryOptions{.workers = workers_});
    board_.write(me.self(), near->address());
    board_.meet(processes_);
    for (std::uint32_t peer = me.self() % 2; peer < processes_; peer += 2) {
      near->connect(ProcessId{peer}, board_.read(peer));
    }
    const std::size_t near_part = router.add(std::move(near));
    const std::size_t far_part =
        router.add(std::make_unique<SelfPolled>(hub_.connect(ProcessId{me.self()}, router.sink_for_transport())), 1000);
    for (std::uint32_t peer = 0; peer < processes_; ++peer) {
      router.route(ProcessId{peer}, peer % 2 == me.self() % 2 ? near_part : far_part);
    }
    me.use(router);
    board_.meet(2 * processes_);
    body(me);
    board_.meet(3 * processes_);
  }

 private:
  const std::uint32_t processes_;
  const std::uint32_t workers_;
  Loopback hub_;
  AddressExchange board_;
};

inline Setting router_setting() {
  return {"router", false, [](std::uint32_t processes, std::uint32_t workers) {
            return std::make_unique<RouterWorld>(processes, workers);
          }};
}

}  // namespace weft::net::test

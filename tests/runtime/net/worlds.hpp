// The settings in which every test of a transport runs.
#pragma once

#include <cstring>
#include <new>
#include <string>

#include "runtime/net/loopback.hpp"
#include "runtime/net/shared_memory.hpp"
#include "tests/runtime/net/peer.hpp"

namespace weft::net::test {

class LoopbackWorld final : public World {
 public:
  LoopbackWorld(std::uint32_t processes, const LoopbackOptions& options) : hub_(processes, options) {}

  void enter(Peer& me, const Body& body) override {
    const std::unique_ptr<Transport> transport = hub_.connect(ProcessId{me.self()}, me);
    me.use(*transport);
    body(me);
  }

 private:
  Loopback hub_;
};

// Processes exchange addresses here before they have a transport, in memory shared across fork.
class AddressExchange {
 public:
  static constexpr std::uint32_t kMost = 8;
  struct Notes {
    std::atomic<std::uint32_t> met = 0;
    char address[kMost][256] = {};
  };

  AddressExchange() {
    void* const place = mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    notes_ = new (place) Notes;
  }
  AddressExchange(const AddressExchange&) = delete;
  AddressExchange& operator=(const AddressExchange&) = delete;
  ~AddressExchange() { munmap(notes_, sizeof(Notes)); }

  void write(std::uint32_t process, const std::string& address) {
    ASSERT_LT(address.size(), sizeof(notes_->address[0]));
    std::strcpy(notes_->address[process], address.c_str());
  }
  std::string read(std::uint32_t process) const { return notes_->address[process]; }
  // Returns once this many calls have been made in total.
  void meet(std::uint32_t calls) {
    ++notes_->met;
    while (notes_->met < calls) {
      std::this_thread::yield();
    }
  }

 private:
  Notes* notes_;
};

class SharedMemoryWorld final : public World {
 public:
  SharedMemoryWorld(std::uint32_t processes, const SharedMemoryOptions& options)
      : processes_(processes), options_(options) {}

  void enter(Peer& me, const Body& body) override {
    SharedMemory transport(ProcessId{me.self()}, processes_, me, options_);
    board_.write(me.self(), transport.address());
    board_.meet(processes_);
    for (std::uint32_t peer = 0; peer < processes_; ++peer) {
      transport.connect(ProcessId{peer}, board_.read(peer));
    }
    board_.meet(2 * processes_);
    me.use(transport);
    body(me);
    board_.meet(3 * processes_);
  }

 private:
  const std::uint32_t processes_;
  const SharedMemoryOptions options_;
  AddressExchange board_;
};

inline Setting loopback_setting(const char* name, LoopbackOptions options) {
  return {name, false, [options](std::uint32_t processes, std::uint32_t workers) mutable {
            options.workers = workers;
            return std::make_unique<LoopbackWorld>(processes, options);
          }};
}

inline Setting shared_memory_setting(const char* name, bool forked, SharedMemoryOptions options) {
  return {name, forked, [options](std::uint32_t processes, std::uint32_t workers) mutable {
            options.workers = workers;
            return std::make_unique<SharedMemoryWorld>(processes, options);
          }};
}

inline std::vector<Setting> all_settings() {
  constexpr std::size_t kSmallRing = 4096;
  return {loopback_setting("loopback", {}),
          loopback_setting("loopback_late", {.most_delay = 7, .seed = 3}),
          loopback_setting("loopback_small", {.most_delay = 2, .longest_message = 1000, .queue_bytes = 3000}),
          shared_memory_setting("shared_memory", false, {}),
          shared_memory_setting("shared_memory_small", false, {.ring_bytes = kSmallRing}),
          shared_memory_setting("shared_memory_messages", false, {.kernel_reads = false}),
          shared_memory_setting("forked", true, {}),
          shared_memory_setting("forked_small", true, {.ring_bytes = kSmallRing, .kernel_reads = false})};
}

}  // namespace weft::net::test

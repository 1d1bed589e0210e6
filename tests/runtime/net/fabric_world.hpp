// Processes joined by FabricTransports, for tests.
#pragma once

#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <utility>

#include "runtime/net/fabric.hpp"
#include "tests/runtime/net/peer.hpp"

namespace weft::net::test {

// Processes exchange addresses here before they have a transport, in memory shared across fork.
class AddressBoard {
 public:
  explicit AddressBoard(std::uint32_t processes) : processes_(processes) {
    void* const place = mmap(nullptr, sizeof(Notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    notes_ = new (place) Notes;
  }
  AddressBoard(const AddressBoard&) = delete;
  AddressBoard& operator=(const AddressBoard&) = delete;
  ~AddressBoard() { munmap(notes_, sizeof(Notes)); }

  // Returns the address of every process, by number, once each has called this.
  std::vector<std::string> exchange(std::uint32_t self, const std::string& address) {
    EXPECT_LE(address.size(), kLongest);
    notes_->bytes[self] = address.size();
    std::memcpy(notes_->address[self], address.data(), address.size());
    meet();
    std::vector<std::string> all;
    for (std::uint32_t process = 0; process < processes_; ++process) {
      all.emplace_back(notes_->address[process], notes_->bytes[process]);
    }
    return all;
  }

  // A barrier: returns once every process has called it as often. Ends the process if that takes a minute.
  void meet() {
    const auto start = std::chrono::steady_clock::now();
    const std::uint32_t turn = notes_->met++ / processes_ + 1;
    while (notes_->met < turn * processes_) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      if (std::chrono::steady_clock::now() - start > std::chrono::minutes(1)) {
        std::fprintf(stderr, "a process did not come to where others wait for it\n");
        std::abort();
      }
    }
  }

 private:
  static constexpr std::size_t kLongest = 512;
  static constexpr std::uint32_t kMost = 8;
  struct Notes {
    std::atomic<std::uint32_t> met = 0;
    std::size_t bytes[kMost] = {};
    char address[kMost][kLongest] = {};
  };

  const std::uint32_t processes_;
  Notes* notes_;
};

class FabricWorld final : public World {
 public:
  FabricWorld(std::uint32_t processes, FabricOptions options) : options_(std::move(options)), board_(processes) {}

  void enter(Peer& me, const Body& body) override {
    try {
      FabricTransport transport(ProcessId{me.self()}, me, options_);
      transport.connect(board_.exchange(me.self(), transport.address()));
      me.use(transport);
      body(me);
      board_.meet();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "process " << me.self() << ": " << error.what();
    }
  }

 private:
  const FabricOptions options_;
  AddressBoard board_;
};

// Waits without a poll; fails the test after half a minute.
inline void await(const std::function<bool()>& holds, const char* what) {
  const auto start = std::chrono::steady_clock::now();
  while (!holds()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (std::chrono::steady_clock::now() - start > std::chrono::seconds(30)) {
      FAIL() << "waited half a minute for " << what;
    }
  }
}

// Receives messages and only counts them.
struct Quiet : Sink {
  void arrived(ProcessId /*from*/, std::span<const std::byte> /*message*/) override { ++messages; }
  std::atomic<int> messages = 0;
};

inline Setting fabric_setting(const char* name, bool forked, const FabricOptions& options) {
  return {name, forked, [options](std::uint32_t processes, std::uint32_t /*workers*/) {
            return std::make_unique<FabricWorld>(processes, options);
          }};
}

}  // namespace weft::net::test

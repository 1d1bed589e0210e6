// A stranger: a process outside the job that has found a libfabric port of the job.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <rdma/fi_errno.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/net/fabric_buffers.hpp"
#include "runtime/net/fabric_endpoint.hpp"
#include "runtime/net/fabric_wire.hpp"

namespace weft::net::test {

// A stranger that uses libfabric correctly.
class Stranger {
 public:
  // `victim`: FabricTransport::address().
  explicit Stranger(std::string_view victim) : address_(FabricAddress::from(victim)), endpoint_(address_.provider, "") {
    victim_ = endpoint_.insert(address_.name);
    endpoint_.use_arena(buffers_.arena());
  }

  std::string address() const { return FabricAddress{endpoint_.provider(), false, 0, endpoint_.name()}.bytes(); }
  // Receives one message and no later ones.
  void receive() {
    FabricOperation& operation = buffers_.receives().front();
    EXPECT_EQ(endpoint_.receive(operation), 0);
    EXPECT_EQ(wait_for(operation), 0);
  }

  void send(const FabricHead& head, std::size_t body) { send(&head, sizeof head, body); }
  void send(const void* bytes, std::size_t count, std::size_t body = 0) {
    FabricOperation& operation = *buffers_.take(FabricBuffers::kLongest);
    std::memset(operation.buffer.data(), 0x77, operation.buffer.size());
    std::memcpy(operation.buffer.data(), bytes, count);
    operation.bytes = count + body;
    repeat([&] { return endpoint_.send(victim_, operation); });
    EXPECT_EQ(wait_for(operation), 0);
    buffers_.give(operation);
  }

  // The word at `from`, or nothing if the victim refuses the read.
  std::optional<std::uint64_t> read(const void* from, std::uint64_t key) {
    std::uint64_t word = 0;
    FabricOperation operation;
    operation.kind = FabricOperation::Kind::read;
    repeat([&] { return endpoint_.read(victim_, key, from, std::as_writable_bytes(std::span(&word, 1)), operation); });
    return wait_for(operation) == 0 ? std::optional(word) : std::nullopt;
  }

 private:
  using Clock = std::chrono::steady_clock;

  std::span<FabricCompletion> completions() { return endpoint_.completions(room_); }

  template <typename Post>
  void repeat(Post post) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (post() == -FI_EAGAIN && Clock::now() < end) {
      completions();
    }
  }
  // Waits for the operation's completion and returns its error.
  int wait_for(const FabricOperation& operation) {
    const auto end = Clock::now() + std::chrono::seconds(60);
    while (Clock::now() < end) {
      for (const FabricCompletion& completion : completions()) {
        if (completion.operation == &operation) {
          return completion.error;
        }
      }
    }
    return FI_ETIMEDOUT;
  }

  const FabricAddress address_;
  FabricBuffers buffers_;
  FabricEndpoint endpoint_;
  fi_addr_t victim_ = FI_ADDR_UNSPEC;
  std::array<FabricCompletion, 16> room_{};
};

// A connected socket.
inline int call(std::string_view victim) {
  const std::string name = FabricAddress::from(victim).name;
  const int fd = ::socket(reinterpret_cast<const sockaddr*>(name.data())->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  EXPECT_EQ(::connect(fd, reinterpret_cast<const sockaddr*>(name.data()), static_cast<socklen_t>(name.size())), 0);
  return fd;
}

inline void send_random_bytes(std::string_view victim, std::mt19937_64& random, std::size_t count) {
  std::vector<char> bytes(count);
  for (char& byte : bytes) {
    byte = static_cast<char>(random());
  }
  const int fd = call(victim);
  static_cast<void>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));  // the victim may have had enough
  ::close(fd);
}

// Connections that never say anything.
class HalfOpen {
 public:
  HalfOpen(std::string_view victim, int count) {
    for (int i = 0; i < count; ++i) {
      sockets_.push_back(call(victim));
    }
  }
  ~HalfOpen() {
    for (const int fd : sockets_) {
      ::close(fd);
    }
  }
  HalfOpen(const HalfOpen&) = delete;
  HalfOpen& operator=(const HalfOpen&) = delete;

 private:
  std::vector<int> sockets_;
};

}  // namespace weft::net::test

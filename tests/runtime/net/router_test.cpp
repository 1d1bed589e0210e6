// What a router reports about its transports. transport_test.cpp tests it as a transport.
#include "runtime/net/router.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace weft::net {
namespace {

class Stub final : public Transport {
 public:
  explicit Stub(bool writes_are_seen) : writes_are_seen_(writes_are_seen) {}

  std::size_t longest_message() const override { return 1; }
  void send(ProcessId /*to*/, std::span<const std::byte> /*head*/, std::span<const std::byte> /*body*/) override {}
  void read(Read& /*read*/) override {}
  bool poll() override { return false; }
  bool writes_are_seen() const override { return writes_are_seen_; }
  bool is_drained() const override { return true; }

 private:
  bool writes_are_seen_;
};

class NoSink final : public Sink {
 public:
  void arrived(ProcessId /*from*/, std::span<const std::byte> /*message*/) override {}
};

TEST(Router, DoesNotSeeWritesThatATransportDoesNotSee) {
  NoSink sink;
  Router router(sink);
  router.add(std::make_unique<Stub>(true));
  EXPECT_TRUE(router.writes_are_seen());
  router.add(std::make_unique<Stub>(false));
  EXPECT_FALSE(router.writes_are_seen());
}

}  // namespace
}  // namespace weft::net

// Processes outside the job connect to the port of a FabricTransport. Their messages are dropped and counted, and they
// can read nothing.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <random>
#include <stdexcept>

#include "runtime/net/fabric.hpp"
#include "runtime/net/fabric_wire.hpp"
#include "tests/runtime/net/fabric_stranger.hpp"
#include "tests/runtime/net/fabric_world.hpp"

namespace weft::net::test {
namespace {

// Two processes of a job. A stranger may know everything about them except the secret.
struct Attacked {
  const Secret secret = new_secret();
  Quiet sink;
  FabricTransport transport{ProcessId{0}, sink, {.secret = secret}};
  Quiet other_sink;
  FabricTransport other{ProcessId{1}, other_sink, {.secret = secret}};

  Attacked() {
    const std::vector<std::string> addresses{transport.address(), other.address()};
    transport.connect(addresses);
    other.connect(addresses);
  }
  void expect_sound(std::uint64_t strangers) {
    await([&] { return transport.rejected_messages() == strangers; }, "what a stranger sent");
    const int before = sink.messages;
    other.send(ProcessId{0}, std::vector<std::byte>(100), {});
    await([&] { return sink.messages == before + 1; }, "a message of the job");
    EXPECT_EQ(transport.rejected_messages(), strangers);
  }
};

TEST(FabricStrangers, DropsAndCountsWhatStrangersSend) {
  Attacked job;
  job.expect_sound(0);
  Stranger stranger(job.transport.address());
  stranger.send("x", 1);
  FabricHead head{1, FabricKind::message, 1, 0};  // the next one of process 1
  stranger.send(head, 100);
  head.auth_code = auth_code_of(new_secret(), head, 0, sizeof head + 100);
  stranger.send(head, 100);
  head.from = 7;  // no such process
  stranger.send(head, 100);
  head.from = 0;
  stranger.send(head, 100);
  head.from = 1;
  head.sequence = 99;
  stranger.send(head, 100);
  for (const FabricKind kind : {FabricKind::read_request, FabricKind::read_reply, FabricKind{77}}) {
    head.kind = kind;
    stranger.send(head, sizeof(FabricReadRequest));
  }
  job.expect_sound(9);
  EXPECT_EQ(job.sink.messages, 2);
}

// A sniffer knows the auth_code of an earlier message. The code is valid for that message only.
TEST(FabricStrangers, DropsWhatIsRepeatedOrChanged) {
  Attacked job;
  job.expect_sound(0);
  Stranger stranger(job.transport.address());
  FabricHead seen{1, FabricKind::message, 0, 0};
  seen.auth_code = auth_code_of(job.secret, seen, 0, sizeof seen + 100);
  stranger.send(seen, 100);
  stranger.send(seen, 101);
  FabricHead changed = seen;
  changed.sequence = 1;
  stranger.send(changed, 100);
  changed = seen;
  changed.kind = FabricKind::read_request;
  stranger.send(changed, 100);
  FabricHead for_another{1, FabricKind::message, 1, 0};
  for_another.auth_code = auth_code_of(job.secret, for_another, 2, sizeof for_another + 100);
  stranger.send(for_another, 100);
  job.expect_sound(5);
}

TEST(FabricStrangers, LetsNobodyReadWithoutTheKey) {
  Attacked job;
  const std::uint64_t password = 0x1234'5678'9abc'def0;
  Stranger stranger(job.transport.address());
  const FabricAddress address = FabricAddress::from(job.transport.address());
  if (!address.readable) {
    GTEST_SKIP() << "this provider has no remote reads";
  }
  EXPECT_EQ(stranger.read(&password, address.key), password);
  // Weft's former key, ofi_rxm's own keys, which count from there, and neighbours of the right key.
  for (const std::uint64_t key : {std::uint64_t{0x77656674}, std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{1} << 31,
                                  (std::uint64_t{1} << 31) + 1, address.key + 1, address.key & 0xffff'ffff}) {
    EXPECT_EQ(Stranger(job.transport.address()).read(&password, key), std::nullopt) << key;
  }
  EXPECT_NE(FabricAddress::from(job.other.address()).key, address.key);
  job.expect_sound(0);
}

// With ofi_rxm alone the receiver would read a long message from the sender's memory, under a predictable key.
TEST(FabricStrangers, ShowsNobodyAMessageOnItsWay) {
  Quiet sink;
  FabricTransport sender(ProcessId{0}, sink);
  Stranger receiver(sender.address());
  sender.connect({"", receiver.address()});
  const std::vector<std::byte> message(sender.longest_message());
  sender.send(ProcessId{1}, message, {});
  receiver.receive();
  sender.send(ProcessId{1}, message, {});  // stays at the sender
  for (std::uint64_t n = 0; n < 4; ++n) {
    const std::uint64_t key = (std::uint64_t{1} << 31) + n;
    EXPECT_EQ(Stranger(sender.address()).read(nullptr, key), std::nullopt) << n;
  }
}

TEST(FabricStrangers, EndsConnectionsThatBringRandomBytes) {
  Attacked job;
  job.expect_sound(0);
  std::mt19937_64 random(4711);
  for (std::size_t turn = 0; turn < 100; ++turn) {
    send_random_bytes(job.transport.address(), random, turn % 10 == 0 ? 100'000 : 1 + turn);
  }
  const HalfOpen silent(job.transport.address(), 50);
  job.expect_sound(0);
}

TEST(FabricStrangers, ProofIsSipHash) {
  // Appendix A of the paper has a message of 15 bytes; these are whole words, by the authors' reference vectors.
  const Secret secret{{0x0706050403020100, 0x0f0e0d0c0b0a0908}};
  EXPECT_EQ(keyed_hash(secret, {}), 0x726fdb47dd0e0e31);
  const std::array<std::uint64_t, 2> words{0x0706050403020100, 0x0f0e0d0c0b0a0908};
  EXPECT_EQ(keyed_hash(secret, std::span(words).first(1)), 0x93f5f5799a932462);
  EXPECT_EQ(keyed_hash(secret, words), 0x3f2acc7f57c29bdb);
  EXPECT_EQ(Secret::from(secret.bytes()).words, secret.words);
  EXPECT_THROW(Secret::from("short"), std::runtime_error);
  EXPECT_NE(new_secret().words, new_secret().words);
}

}  // namespace
}  // namespace weft::net::test

// Runs whose time is known in closed form, to 1e-9 of it.
#include <gtest/gtest.h>

#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

Seconds makespan(const Workload& workload, const Platform& platform, NetworkModel network) {
  return replay(workload, platform, {.network = network}).makespan;
}

double as_double(std::uint64_t number) { return static_cast<double>(number); }

// From the send's begin to the receive's end.
Seconds message(std::uint64_t bytes) { return 2 * kLink.overhead + kLink.latency + as_double(bytes) * kLink.per_byte; }

class ClosedForms : public testing::TestWithParam<NetworkModel> {};
INSTANTIATE_TEST_SUITE_P(Networks, ClosedForms, testing::Values(NetworkModel::loggp, NetworkModel::ports));

TEST_P(ClosedForms, PingPong) {
  constexpr std::uint64_t kRounds = 1000;
  constexpr std::uint64_t kBytes = 8192;
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec other{.peer = Peer::rank(1 - rank), .bytes = kBytes};
    builder.loop(kRounds);
    rank == 0 ? builder.send(other).recv(other) : builder.recv(other).send(other);
    builder.end_loop();
  });
  expect_seconds(makespan(workload, hosts_of_one_core(2), GetParam()), 2 * kRounds * message(kBytes));
}

TEST_P(ClosedForms, PingPongOfAnnouncedMessages) {
  constexpr std::uint64_t kBytes = 1 << 20;
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec other{.peer = Peer::rank(1 - rank), .bytes = kBytes};
    rank == 0 ? builder.send(other).recv(other) : builder.recv(other).send(other);
  });
  // The announcement, the receiver's request, the data. The sender continues when it has been notified of the arrival;
  // by then the answer may have been announced.
  const Seconds data = kLink.latency + kBytes * kLink.per_byte;
  const Seconds one_way = kLink.overhead + 2 * kLink.latency + data + kLink.overhead;
  const Seconds answer_is_awaited = one_way - kLink.overhead + kLink.latency;
  const Seconds answer_is_announced = one_way + kLink.overhead + kLink.latency;
  const Seconds met = std::max(answer_is_awaited, answer_is_announced);
  const Seconds rank_0 = met + kLink.latency + data + kLink.overhead;
  const Seconds rank_1 = met + kLink.latency + data + kLink.latency;
  expect_seconds(makespan(workload, hosts_of_one_core(2), GetParam()), std::max(rank_0, rank_1));
}

TEST_P(ClosedForms, Ring) {
  constexpr std::uint32_t kRanks = 17;
  constexpr std::uint64_t kBytes = 1000;
  const Workload workload = make_workload(kRanks, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec to{.peer = Peer::rank((rank + 1) % kRanks), .bytes = kBytes};
    const MessageSpec from{.peer = Peer::rank((rank + kRanks - 1) % kRanks), .bytes = kBytes};
    rank == 0 ? builder.send(to).recv(from) : builder.recv(from).send(to);
  });
  expect_seconds(makespan(workload, hosts_of_one_core(kRanks), GetParam()), kRanks * message(kBytes));
}

TEST_P(ClosedForms, BinomialTree) {
  constexpr std::uint32_t kLevels = 6;
  constexpr std::uint64_t kBytes = 64;
  const Workload workload = make_workload(1 << kLevels, [](std::uint32_t rank, TemplateBuilder& builder) {
    std::uint32_t reach = 1;
    while (reach < (1U << kLevels) && (rank & reach) == 0) {
      reach *= 2;
    }
    if (rank != 0) {
      builder.recv({.peer = Peer::rank(rank & (rank - 1)), .bytes = kBytes});
    }
    for (std::uint32_t step = reach / 2; step > 0; step /= 2) {
      builder.send({.peer = Peer::rank(rank + step), .bytes = kBytes});
    }
  });
  LinkCost link = kLink;
  link.gap = 0.0;  // beside the bytes, no message may wait for another
  link.overhead = 2e-6;
  const Seconds level = 2 * link.overhead + link.latency + kBytes * link.per_byte;
  expect_seconds(makespan(workload, hosts_of_one_core(1 << kLevels, link), GetParam()), kLevels * level);
}

// All to rank 0, at once.
Workload fan_in(std::uint32_t senders, std::uint64_t bytes) {
  return make_workload(senders + 1, [&](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank != 0) {
      builder.send({.peer = Peer::rank(0), .bytes = bytes});
      return;
    }
    for (std::uint32_t from = 1; from <= senders; ++from) {
      builder.irecv({.peer = Peer::rank(from), .bytes = bytes}, static_cast<std::uint16_t>(from));
    }
    builder.wait(1, senders);
  });
}

TEST(SharedPort, MessagesOfManyHostsComeOneByOne) {
  constexpr std::uint32_t kSenders = 9;
  constexpr std::uint64_t kBytes = 10000;
  const Seconds bytes = kBytes * kLink.per_byte;
  expect_seconds(
      makespan(fan_in(kSenders, kBytes), hosts_of_one_core(kSenders + 1), NetworkModel::ports),
      kLink.overhead + kLink.latency + kSenders * bytes + (kSenders - 1) * kLink.gap + kSenders * kLink.overhead);
}

TEST(SharedPort, LoggpKnowsNoPorts) {
  expect_seconds(makespan(fan_in(9, 10000), hosts_of_one_core(10), NetworkModel::loggp),
                 kLink.overhead + kLink.latency + 10000 * kLink.per_byte + 9 * kLink.overhead);
}

// A host with two processes whose ranks send at once, each to a host of its own.
TEST(SharedPort, MessagesOfAHostLeaveOneByOne) {
  Platform platform = make_platform({.hosts = 3, .processes = 2, .cores = 2, .link = kLink});
  const Workload workload = make_workload(4, [](std::uint32_t rank, TemplateBuilder& builder) {
    rank < 2 ? builder.send({.peer = Peer::rank(rank + 2), .bytes = 10000})
             : builder.recv({.peer = Peer::rank(rank - 2), .bytes = 10000});
  });
  const ReplayResult result = replay(workload, platform, {.network = NetworkModel::ports, .homes = {0, 1, 2, 4}});
  expect_seconds(result.ended[2], message(10000));
  expect_seconds(result.ended[3], message(10000) + kLink.gap + 10000 * kLink.per_byte);
}

// Within a host the ports are those of the processes: two pairs of processes do not hinder each other.
TEST(SharedPort, ProcessesOfAHostHavePortsOfTheirOwn) {
  Platform platform = make_platform({.hosts = 1, .processes = 4, .cores = 4});
  platform.near[static_cast<std::size_t>(Nearness::same_host)] = kLink;
  const Workload workload = make_workload(4, [](std::uint32_t rank, TemplateBuilder& builder) {
    rank < 2 ? builder.send({.peer = Peer::rank(rank + 2), .bytes = 10000})
             : builder.recv({.peer = Peer::rank(rank - 2), .bytes = 10000});
  });
  expect_seconds(makespan(workload, platform, NetworkModel::ports), message(10000));
}

// A stencil whose ranks all compute alike: an iteration takes the work, the overheads, and one flight.
TEST_P(ClosedForms, StencilInOneDimension) {
  constexpr std::uint32_t kRanks = 12;
  constexpr std::uint64_t kIterations = 50;
  constexpr std::uint64_t kBytes = 4096;
  constexpr Seconds kWork = 1e-3;
  const Workload workload = make_workload(kRanks, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec left{.peer = Peer::rank((rank + kRanks - 1) % kRanks), .bytes = kBytes};
    const MessageSpec right{.peer = Peer::rank((rank + 1) % kRanks), .bytes = kBytes};
    builder.loop(kIterations).irecv(left, 1).irecv(right, 2).isend(left, 3).isend(right, 4).compute(kWork).wait(1, 4);
    builder.end_loop();
  });
  // The messages fly while the ranks compute.
  expect_seconds(makespan(workload, hosts_of_one_core(kRanks), GetParam()), kIterations * (4 * kLink.overhead + kWork));
}

}  // namespace
}  // namespace weft::sim::test

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
  const Seconds rank_1 = met + kLink.latency + data + kLink.latency + kLink.overhead;
  expect_seconds(makespan(workload, hosts_of_one_core(2), GetParam()), std::max(rank_0, rank_1));
}

// One long message between hosts that copy it at both ends. Both ranks compute for some time before they wait.
std::vector<Seconds> ends_of_announced(std::uint64_t bytes, Seconds sender_computes, Seconds receiver_computes,
                                       NetworkModel network) {
  LinkCost link = kLink;
  link.copy_per_byte = 0.5e-9;
  const Workload workload = make_workload(2, [&](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec other{.peer = Peer::rank(1 - rank), .bytes = bytes};
    rank == 0 ? builder.isend(other, 1) : builder.irecv(other, 1);
    builder.compute(rank == 0 ? sender_computes : receiver_computes).wait(1, 1);
  });
  return replay(workload, hosts_of_one_core(2, link), {.network = network}).ended;
}

TEST_P(ClosedForms, HostsCopyAnAnnouncedMessageWhileTheyHaveNothingElseToDo) {
  constexpr std::uint64_t kBytes = 1 << 20;
  constexpr Seconds kCopying = kBytes * 0.5e-9;
  const Seconds arrival = kLink.overhead + 3 * kLink.latency + kBytes * kLink.per_byte;
  const Seconds sender_hears = arrival + kLink.latency;

  const std::vector<Seconds> idle = ends_of_announced(kBytes, 0, 0, GetParam());
  expect_seconds(idle[0], sender_hears + kLink.overhead);
  expect_seconds(idle[1], arrival + kLink.overhead);

  const std::vector<Seconds> busy = ends_of_announced(kBytes, 0.01, 0.02, GetParam());
  expect_seconds(busy[0], 0.01 + 2 * kLink.overhead + kCopying);
  expect_seconds(busy[1], 0.02 + kLink.overhead + kCopying);

  // They have computed until a quarter of the copying is left.
  const std::vector<Seconds> later =
      ends_of_announced(kBytes, sender_hears - kLink.overhead - 0.25 * kCopying, arrival - 0.25 * kCopying, GetParam());
  expect_seconds(later[0], sender_hears + kLink.overhead + 0.75 * kCopying);
  expect_seconds(later[1], arrival + kLink.overhead + 0.75 * kCopying);
}

TEST_P(ClosedForms, TimeWithoutWorkServesOneMessageAfterTheOther) {
  constexpr std::uint64_t kBytes = 1 << 20;
  LinkCost link = kLink;
  link.copy_per_byte = link.per_byte;
  const Seconds copying = kBytes * link.copy_per_byte;
  const Seconds first_byte = link.overhead + 3 * link.latency;
  // With LogGP both arrive at first_byte + copying; in the time that they take one of them is copied.
  const Seconds loggp = first_byte + 2 * copying + 2 * link.overhead;
  const Seconds ports = first_byte + link.gap + 2 * copying + 2 * link.overhead;
  const Seconds end = replay(fan_in(2, kBytes), hosts_of_one_core(3, link), {.network = GetParam()}).ended[0];
  expect_seconds(end, GetParam() == NetworkModel::loggp ? loggp : ports);
}

// The transfer that was first is waited for last: time without work before that of the other one still serves.
TEST_P(ClosedForms, TimeWithoutWorkServesInAnyOrder) {
  constexpr std::uint64_t kBytes = 1 << 20;
  LinkCost link = kLink;
  link.copy_per_byte = 0.5 * link.per_byte;
  const Workload workload = make_workload(3, [](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 0) {
      builder.irecv({.peer = Peer::rank(1), .bytes = kBytes}, 1).irecv({.peer = Peer::rank(2), .bytes = kBytes}, 2);
      builder.wait(2, 1).wait(1, 1);
    } else {
      builder.compute(0.01 * rank).send({.peer = Peer::rank(0), .bytes = kBytes});
    }
  });
  const Seconds end = replay(workload, hosts_of_one_core(3, link), {.network = GetParam()}).ended[0];
  expect_seconds(end, 0.02 + 3 * link.overhead + 3 * link.latency + kBytes * link.per_byte);
}

TEST_P(ClosedForms, TimeWithoutWorkAfterTheTransferDoesNotServe) {
  constexpr std::uint64_t kBytes = 1 << 20;
  LinkCost link = kLink;
  link.copy_per_byte = 0.5e-9;
  const Workload workload = make_workload(3, [](std::uint32_t rank, TemplateBuilder& builder) {
    if (rank == 0) {
      builder.irecv({.peer = Peer::rank(1), .bytes = kBytes}, 1)
          .compute(0.01)
          .recv({.peer = Peer::rank(2), .bytes = 0})
          .wait(1, 1);
    } else {
      builder.compute(rank == 1 ? 0 : 0.02).send({.peer = Peer::rank(0), .bytes = rank == 1 ? kBytes : 0});
    }
  });
  const Seconds end = replay(workload, hosts_of_one_core(3, link), {.network = GetParam()}).ended[0];
  expect_seconds(end, 0.02 + 3 * link.overhead + link.latency + kBytes * link.copy_per_byte);
}

TEST_P(ClosedForms, ASlowWorkerCopiesLess) {
  constexpr std::uint64_t kBytes = 1 << 20;
  LinkCost link = kLink;
  link.copy_per_byte = 0.75 * link.per_byte;
  Platform platform = hosts_of_one_core(2, link);
  platform.workers[1].speed = 0.5;
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec other{.peer = Peer::rank(1 - rank), .bytes = kBytes};
    rank == 0 ? builder.send(other) : builder.recv(other);
  });
  const Seconds travels = kBytes * link.per_byte;  // meanwhile half as much work is done
  const Seconds arrival = link.overhead + 3 * link.latency + travels;
  expect_seconds(replay(workload, platform, {.network = GetParam()}).ended[1],
                 arrival + (link.overhead + 0.75 * travels - 0.5 * travels) / 0.5);
}

// Rank 1, on the worker of rank 0, gets a message while rank 0's long one is under way.
TEST(ClosedForms, AWorkerCopiesBetweenWhatItDoesForOtherRanks) {
  constexpr std::uint64_t kBytes = 1 << 20;
  LinkCost link = kLink;
  link.copy_per_byte = 0.75 * link.per_byte;
  Platform platform = hosts_of_one_core(2, link);
  platform.switch_cost = 0.0;
  const Seconds travels = kBytes * link.per_byte;
  const Workload workload = make_workload(4, [&](std::uint32_t rank, TemplateBuilder& builder) {
    switch (rank) {
      case 0:
        return static_cast<void>(builder.recv({.peer = Peer::rank(2), .bytes = kBytes}));
      case 1:
        return static_cast<void>(builder.recv({.peer = Peer::rank(3), .bytes = 0}));
      case 2:
        return static_cast<void>(builder.send({.peer = Peer::rank(0), .bytes = kBytes}));
      default:
        return static_cast<void>(builder.compute(0.5 * travels).send({.peer = Peer::rank(1), .bytes = 0}));
    }
  });
  const ReplayResult result = replay(workload, platform, {.network = NetworkModel::loggp, .homes = {0, 0, 1, 1}});
  expect_seconds(result.ended[0], 2 * link.overhead + 3 * link.latency + travels);
}

TEST_P(ClosedForms, ShortMessagesBetweenHostsAreCopiedByTheSenderFirst) {
  constexpr std::uint64_t kRounds = 100;
  constexpr std::uint64_t kBytes = 8192;
  LinkCost link = kLink;
  link.copy_per_byte = 0.5e-9;
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec other{.peer = Peer::rank(1 - rank), .bytes = kBytes};
    builder.loop(kRounds);
    rank == 0 ? builder.send(other).recv(other) : builder.recv(other).send(other);
    builder.end_loop();
  });
  expect_seconds(makespan(workload, hosts_of_one_core(2, link), GetParam()),
                 2 * kRounds * (message(kBytes) + kBytes * link.copy_per_byte));
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
  platform.near[static_cast<std::size_t>(lb::Distance::kSameHost)] = kLink;
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

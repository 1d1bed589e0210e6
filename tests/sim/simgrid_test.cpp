// The same workloads through SimGrid (Casanova et al. 2014): its network model CM02, latencies and max-min fair shares,
// without the bound of TCP's window. It knows no announcements: a long message begins when send and receive are there.
// The network `ports` is printed beside it and not judged: it serves messages one after the other, and knows no trunks.
#include <simgrid/s4u.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/generate.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

namespace s4u = simgrid::s4u;

constexpr double kSpeed = 1e9;  // of SimGrid's hosts, in its unit
// SimGrid's fastest kind of actors, but AddressSanitizer must know their stacks.
#ifdef __SANITIZE_ADDRESS__
constexpr const char* kContexts = "contexts/factory:thread";
#else
constexpr const char* kContexts = "contexts/factory:raw";
#endif

struct Simulated {
  double makespan = -1.0;  // simulated seconds; negative: the process failed
  double took = 0.0;       // real seconds, without those in which hosts and actors are made
};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// What a rank does, by an actor of SimGrid. Ranks are alone on their hosts, so work and overheads take their time.
class RankActor {
 public:
  RankActor(const Workload& workload, const Platform& platform, std::uint32_t rank)
      : workload_(workload), platform_(platform), stream_(workload.streams[rank]), rank_(rank) {}

  void operator()() {
    const Action* code = workload_.actions.data() + workload_.templates[stream_.pattern].first_action;
    std::array<std::uint64_t, kMostLevels> left{};
    for (const Action* action = code; action->kind != ActionKind::stop;) {
      if (action->kind == ActionKind::end_loop) {
        action = --left[action->request] != 0 ? code + action->index : action + 1;
        continue;
      }
      if (action->kind == ActionKind::loop) {
        left[action->request] = action->value;
      }
      carry_out(*action++);
    }
  }

  // Eager messages travel as soon as they are sent.
  void become_receiver(const s4u::ActorPtr& actor) const {
    const Template& pattern = workload_.templates[stream_.pattern];
    for (std::uint32_t i = 0; i < pattern.channels; ++i) {
      if (workload_.channels[pattern.first_channel + i].end == ChannelEnd::receiver) {
        mailbox(i, true)->set_receiver(actor);
      }
    }
  }

 private:
  struct Slot {
    s4u::CommPtr comm;
    Seconds charge = 0.0;  // when it is complete
    void* payload = nullptr;
  };

  void carry_out(const Action& action) {
    switch (action.kind) {
      case ActionKind::compute:
        return s4u::this_actor::execute(action.seconds() * stream_.scale * kSpeed);
      case ActionKind::send:
      case ActionKind::isend:
        send(action);
        return action.kind == ActionKind::send ? wait(action.request, 1) : void();
      case ActionKind::recv:
      case ActionKind::irecv:
        receive(action);
        return action.kind == ActionKind::recv ? wait(action.request, 1) : void();
      case ActionKind::wait:
        return wait(action.request, action.index);
      default:
        return;
    }
  }

  void send(const Action& action) {
    const bool eager = action.value <= platform_.eager_limit;
    s4u::this_actor::sleep_for(cost().overhead);
    const s4u::CommPtr comm = mailbox(action.index, eager)->put_init(this, action.value);
    eager ? comm->detach() : comm->start();
    slots_[action.request] = {.comm = eager ? nullptr : comm};
  }

  void receive(const Action& action) {
    const bool eager = action.value <= platform_.eager_limit;
    Slot& slot = slots_[action.request];
    slot.charge = cost().overhead;
    slot.comm = mailbox(action.index, eager)->get_async<void>(&slot.payload);
  }

  void wait(std::uint32_t first, std::uint32_t count) {
    Seconds charge = 0.0;
    for (std::uint32_t i = first; i < first + count; ++i) {
      if (slots_[i].comm) {
        slots_[i].comm->wait();
      }
      charge += slots_[i].charge;
      slots_[i] = {};
    }
    s4u::this_actor::sleep_for(charge);
  }

  [[nodiscard]] const LinkCost& cost() const { return platform_.within_site[platform_.workers[rank_].site]; }

  [[nodiscard]] s4u::Mailbox* mailbox(std::uint32_t index, bool eager) const {
    const Channel& channel = workload_.channels[workload_.templates[stream_.pattern].first_channel + index];
    const std::int64_t own = rank_;
    const std::int64_t peer = channel.peer + (channel.addressing == Addressing::relative ? own : 0);
    const bool sends = channel.end == ChannelEnd::sender;
    return s4u::Mailbox::by_name(
        fmt::format("{} {} {} {}", sends ? own : peer, sends ? peer : own, channel.tag, eager));
  }

  const Workload& workload_;
  const Platform& platform_;
  const Stream& stream_;
  std::uint32_t rank_;
  std::map<std::uint32_t, Slot> slots_;
};

// All routes have the latency of the link within a site, since CM02 divides links by the inverse of latencies.
std::vector<s4u::Host*> make_hosts(s4u::NetZone& zone, const Platform& platform) {
  const Seconds latency = platform.within_site.front().latency;
  const auto link = [&](const std::string& name, Seconds per_byte, Seconds its_latency) {
    return zone.create_link(name, 1.0 / per_byte)->set_latency(its_latency)->seal();
  };
  std::vector<s4u::Host*> hosts;
  std::vector<s4u::Link*> up;
  std::vector<s4u::Link*> down;
  for (const WorkerPlace& place : platform.workers) {
    const std::string& name = platform.hosts[place.host];
    const Seconds per_byte = platform.within_site[place.site].per_byte;
    hosts.push_back(zone.create_host(name, kSpeed)->seal());
    up.push_back(link(name + " up", per_byte, latency));
    down.push_back(link(name + " down", per_byte, 0.0));
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, s4u::Link*> trunks;
  for (const Trunk& trunk : platform.trunks) {
    trunks[{trunk.from, trunk.to}] = link(fmt::format("{} {}", trunk.from, trunk.to), trunk.cost.per_byte, 0.0);
    trunks[{trunk.to, trunk.from}] = link(fmt::format("{} {}", trunk.to, trunk.from), trunk.cost.per_byte, 0.0);
  }
  for (std::size_t from = 0; from < hosts.size(); ++from) {
    for (std::size_t to = 0; to < hosts.size(); ++to) {
      std::vector<s4u::LinkInRoute> links{s4u::LinkInRoute(up[from]), s4u::LinkInRoute(down[to])};
      if (platform.workers[from].site != platform.workers[to].site) {
        links.emplace_back(trunks.at({platform.workers[from].site, platform.workers[to].site}));
      }
      if (from != to) {
        zone.add_route(hosts[from]->get_netpoint(), hosts[to]->get_netpoint(), nullptr, nullptr, links, false);
      }
    }
  }
  return hosts;
}

Simulated simulated_by_simgrid(const Workload& workload, const Platform& platform) {
  std::string program = "simgrid";
  std::string quiet = "--log=xbt_cfg.thresh:warning";
  std::vector<char*> arguments{program.data(), quiet.data(), nullptr};
  int count = 2;
  s4u::Engine engine(&count, arguments.data());
  for (const char* setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/latency-factor:1",
        "network/bandwidth-factor:1", "network/weight-S:0", kContexts}) {
    s4u::Engine::set_config(setting);
  }
  s4u::NetZone* zone = s4u::create_full_zone("world");
  const std::vector<s4u::Host*> hosts = make_hosts(*zone, platform);
  zone->seal();
  for (std::uint32_t rank = 0; rank < hosts.size(); ++rank) {
    const RankActor actor(workload, platform, rank);
    actor.become_receiver(s4u::Actor::create(fmt::format("rank {}", rank), hosts[rank], actor));
  }
  const double took = seconds_of([&] { engine.run(); });
  return {s4u::Engine::get_clock(), took};
}

// SimGrid can run once in a process.
Simulated simulated_in_a_process(const Workload& workload, const Platform& platform) {
  std::array<int, 2> pipe_ends{};
  EXPECT_EQ(pipe(pipe_ends.data()), 0);
  static_cast<void>(std::fflush(stdout));  // or the child writes it, too
  const pid_t child = fork();
  if (child == 0) {
    const Simulated result = simulated_by_simgrid(workload, platform);
    _exit(write(pipe_ends[1], &result, sizeof(result)) == sizeof(result) ? 0 : 1);
  }
  close(pipe_ends[1]);
  Simulated result;
  if (read(pipe_ends[0], &result, sizeof(result)) != sizeof(result)) {
    result = {};
  }
  close(pipe_ends[0]);
  waitpid(child, nullptr, 0);
  return result;
}

struct Row {
  std::string name;
  Workload workload;
  Platform platform;
};

// The comparison is of networks: nobody copies.
constexpr LinkCost kCluster{.overhead = 1e-6, .latency = 10e-6, .gap = 0, .per_byte = 1e-9, .copy_per_byte = 0.0};

Platform cluster(std::uint32_t hosts) {
  Platform platform = hosts_of_one_core(hosts, kCluster);
  platform.flow_limit = 0;
  return platform;
}

// The trunk has half of a host's bandwidth.
Platform joined_clusters(std::uint32_t hosts_of_each) {
  LinkCost trunk = kCluster;
  trunk.per_byte = 2 * kCluster.per_byte;
  Platform platform = two_sites(hosts_of_each, kCluster, trunk);
  platform.flow_limit = 0;
  return platform;
}

Workload imbalanced(const char* name, std::array<std::uint32_t, 3> extents, std::uint64_t bytes) {
  return generate(
      name, {.extents = extents, .iterations = 20, .bytes = bytes, .imbalance = Imbalance::random, .amount = 0.5});
}

// Each rank but the first sends to it.
Workload all_to_one(std::uint32_t ranks, std::uint64_t bytes) {
  return make_workload(ranks, [&](std::uint32_t rank, TemplateBuilder& builder) {
    for (std::uint32_t from = 1; rank == 0 && from < ranks; ++from) {
      builder.irecv({.peer = Peer::rank(from), .bytes = bytes}, static_cast<std::uint16_t>(from));
    }
    rank == 0 ? builder.wait(1, ranks - 1)
              : builder.compute(rank * 0.2e-3).send({.peer = Peer::rank(0), .bytes = bytes});
  });
}

// From each host of the left to one of the right, of different lengths and at different times.
Workload across(std::uint32_t pairs, std::uint64_t bytes) {
  return make_workload(2 * pairs, [&](std::uint32_t rank, TemplateBuilder& builder) {
    const std::uint64_t length = bytes * (1 + rank % pairs);
    rank < pairs ? builder.compute(rank * 1e-3).send({.peer = Peer::rank(rank + pairs), .bytes = length})
                 : builder.recv({.peer = Peer::rank(rank - pairs), .bytes = length});
  });
}

std::vector<Row> rows() {
  constexpr std::uint64_t kShort = 8192;
  constexpr std::uint64_t kLong = 2'000'000;
  std::vector<Row> rows;
  for (const std::uint64_t bytes : {kShort, kLong}) {
    const std::string length = bytes == kShort ? "8 kB" : "2 MB";
    rows.push_back(
        {"ping-pong " + length, generate("ping-pong", {.extents = {2, 1, 1}, .work = 0, .bytes = bytes}), cluster(2)});
    rows.push_back({"ring " + length, imbalanced("ring", {8, 1, 1}, bytes), cluster(8)});
    rows.push_back({"stencil " + length, imbalanced("stencil", {4, 4, 1}, bytes), cluster(16)});
    rows.push_back({"stencil, two sites " + length, imbalanced("stencil", {4, 4, 1}, bytes), joined_clusters(8)});
    rows.push_back({"shared port " + length, all_to_one(9, bytes), cluster(9)});
    rows.push_back({"dumbbell " + length, across(8, bytes), joined_clusters(8)});
  }
  rows.push_back({"stencil in 3D 8 kB", imbalanced("stencil", {6, 6, 6}, kShort), cluster(216)});
  rows.push_back({"stencil in 3D 100 kB", imbalanced("stencil", {6, 6, 6}, 100'000), cluster(216)});
  return rows;
}

TEST(SimGrid, MakespansAgreeWithin5Percent) {
  fmt::print("{:28} {:>5} {:>12} {:>12} {:>8} {:>12} {:>8}   actions/s: {:>9} {:>9} {:>9}\n", "workload", "hosts",
             "SimGrid ms", "flows ms", "error", "ports ms", "error", "SimGrid", "flows", "ports");
  for (const Row& row : rows()) {
    const Simulated expected = simulated_in_a_process(row.workload, row.platform);
    ASSERT_GT(expected.makespan, 0.0) << row.name;
    const auto simulated = [&](NetworkModel network) {
      Simulated result;
      result.took =
          seconds_of([&] { result.makespan = replay(row.workload, row.platform, {.network = network}).makespan; });
      return result;
    };
    const Simulated flows = simulated(NetworkModel::flows);
    const Simulated ports = simulated(NetworkModel::ports);
    const auto error = [&](const Simulated& of) { return of.makespan / expected.makespan - 1; };
    const auto rate = [&](const Simulated& of) {
      return static_cast<double>(expanded_actions(row.workload)) / of.took;
    };
    fmt::print("{:28} {:5} {:12.4f} {:12.4f} {:7.2f}% {:12.4f} {:7.2f}%              {:9.2g} {:9.2g} {:9.2g}\n",
               row.name, row.platform.hosts.size(), 1e3 * expected.makespan, 1e3 * flows.makespan, 100 * error(flows),
               1e3 * ports.makespan, 100 * error(ports), rate(expected), rate(flows), rate(ports));
    EXPECT_LE(std::abs(error(flows)), 0.05) << row.name;
  }
}

}  // namespace
}  // namespace weft::sim::test

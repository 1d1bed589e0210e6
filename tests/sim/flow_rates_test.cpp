// Flows against a reference that computes the rates of all flows again whenever one begins or ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "sim/flows.hpp"
#include "tests/sim/workloads.hpp"

namespace weft::sim::test {
namespace {

struct Arrival {
  Seconds at = 0.0;
  PortPair ports;
  std::uint64_t bytes = 0;
};

std::vector<Seconds> ends_of_flows(const Platform& platform, const std::vector<Arrival>& arrivals) {
  std::vector<Seconds> ended(arrivals.size());
  EventQueue events;
  Flows flows(platform, events);
  for (std::uint32_t i = 0; i < arrivals.size(); ++i) {
    events.add(arrivals[i].at, sim::SimEventKind::enter_out, i);
  }
  while (!events.empty()) {
    const sim::Event event = events.pop();
    if (event.kind == sim::SimEventKind::update_rates) {
      flows.update_rates(event.time);
    } else if (event.kind == sim::SimEventKind::end_flows) {
      for (const std::uint32_t message : flows.end(event.time)) {
        ended[message] = event.time;
      }
    } else if (!flows.start(event.target, arrivals[event.target].ports, arrivals[event.target].bytes, event.time)) {
      ended[event.target] = event.time;
    }
  }
  return ended;
}

// Knows nothing of routes and regions.
class PlainFlows {
 public:
  PlainFlows(const Platform& platform, const std::vector<Arrival>& arrivals) : platform_(platform) {
    for (const Arrival& arrival : arrivals) {
      flows_.push_back(
          {.links = links_of(arrival.ports), .begin = arrival.at, .left = static_cast<double>(arrival.bytes)});
    }
  }

  std::vector<Seconds> ends() {
    Seconds now = 0.0;
    while (std::ranges::any_of(flows_, [](const Flow& flow) { return flow.left > 0.0; })) {
      divide(now);
      Seconds next = kNever;
      for (const Flow& flow : flows_) {
        next = std::min(next, flow.begin > now ? flow.begin : flow.left > 0.0 ? now + flow.left / flow.rate : kNever);
      }
      for (Flow& flow : flows_) {
        go_on(flow, now, next);
      }
      now = next;
    }
    std::vector<Seconds> ended;
    std::ranges::transform(flows_, std::back_inserter(ended), &Flow::ended);
    return ended;
  }

 private:
  static constexpr Seconds kNever = std::numeric_limits<Seconds>::infinity();

  struct Flow {
    std::vector<std::size_t> links{};  // indices of capacities
    Seconds begin = 0.0;
    double left = 0.0;
    double rate = 0.0;
    Seconds ended = 0.0;
  };

  static void go_on(Flow& flow, Seconds now, Seconds next) {
    if (flow.begin > now || flow.left == 0.0) {
      return;
    }
    const bool ends = now + flow.left / flow.rate <= next * (1 + 1e-14);
    flow.left = ends ? 0.0 : flow.left - flow.rate * (next - now);
    flow.ended = next;
  }

  void add(std::vector<std::size_t>& links, const LinkCost& cost, std::size_t name) {
    capacities_.resize(std::max(capacities_.size(), name + 1), kNever);
    if (cost.per_byte > 0.0) {
      capacities_[name] = 1.0 / cost.per_byte;
      links.push_back(name);
    }
  }

  std::vector<std::size_t> links_of(PortPair ports) {
    const std::size_t hosts = platform_.hosts.size();
    const auto site_of = [&](std::uint32_t host) {
      return std::ranges::find(platform_.workers, host, &WorkerPlace::host)->site;
    };
    std::vector<std::size_t> links;
    const bool within = ports.out >= hosts;
    for (const std::uint32_t port : {ports.out, ports.in}) {
      const LinkCost& cost = within ? platform_.near.back() : platform_.within_site[site_of(port)];
      add(links, cost, 2 * std::size_t{port} + (links.empty() && port == ports.out ? 0 : 1));
    }
    if (!within && site_of(ports.out) != site_of(ports.in)) {
      for (std::size_t i = 0; i < platform_.trunks.size(); ++i) {
        const Trunk& trunk = platform_.trunks[i];
        const bool there = trunk.from == site_of(ports.out) && trunk.to == site_of(ports.in);
        const bool back = trunk.to == site_of(ports.out) && trunk.from == site_of(ports.in);
        if (there || back) {
          add(links, trunk.cost, 1000 + 2 * i + (there ? 0 : 1));
        }
      }
    }
    return links;
  }

  // All flows grow alike, until a link is full; then those on it stop.
  void divide(Seconds now) {
    std::vector<Flow*> growing;
    std::vector<double> left = capacities_;
    for (Flow& flow : flows_) {
      flow.rate = kNever;
      if (flow.begin <= now && flow.left > 0.0 && !flow.links.empty()) {
        growing.push_back(&flow);
      }
    }
    while (!growing.empty()) {
      std::vector<double> flows(left.size(), 0.0);
      for (const Flow* flow : growing) {
        std::ranges::for_each(flow->links, [&](std::size_t link) { flows[link] += 1.0; });
      }
      std::size_t narrowest = growing.front()->links.front();
      for (std::size_t link = 0; link < left.size(); ++link) {
        narrowest =
            flows[link] > 0.0 && left[link] / flows[link] < left[narrowest] / flows[narrowest] ? link : narrowest;
      }
      const double rate = left[narrowest] / flows[narrowest];
      std::erase_if(growing, [&](Flow* flow) {
        const bool stops = std::ranges::count(flow->links, narrowest) > 0;
        if (stops) {
          flow->rate = rate;
          std::ranges::for_each(flow->links, [&](std::size_t link) { left[link] -= rate; });
        }
        return stops;
      });
    }
  }

  const Platform& platform_;
  std::vector<double> capacities_;
  std::vector<Flow> flows_;
};

// Numbers from a few, so that many are equal, or from a range.
class Draw {
 public:
  Draw(unsigned seed, bool few) : random_(seed), few_(few) {}
  std::uint32_t below(std::uint32_t end) { return std::uniform_int_distribution<std::uint32_t>(0, end - 1)(random_); }
  double real(double least, double most) {
    const double part = few_ ? below(4) / 3.0 : std::uniform_real_distribution<double>(0, 1)(random_);
    return least + part * (most - least);
  }

 private:
  std::mt19937 random_;
  bool few_;
};

Platform random_platform(Draw& draw) {
  Platform platform = make_platform({.hosts = 2 + draw.below(10), .processes = 2, .cores = 2});
  const std::uint32_t sites = 1 + draw.below(4);
  const auto cost = [&](double least) {
    return LinkCost{.per_byte = draw.below(12) == 0 ? 0.0 : draw.real(least, 4 * least)};
  };
  platform.near.back() = cost(0.2e-9);
  platform.sites.resize(sites);
  platform.within_site.clear();
  for (std::uint32_t site = 0; site < sites; ++site) {
    platform.within_site.push_back(cost(1e-9));
    for (std::uint32_t other = 0; other < site; ++other) {
      platform.trunks.push_back({.from = other, .to = site, .cost = cost(0.5e-9)});
    }
  }
  for (WorkerPlace& place : platform.workers) {
    place.site = place.host % sites;
  }
  return platform;
}

std::vector<Arrival> random_arrivals(Draw& draw, const Platform& platform, std::uint32_t flows) {
  const Network network(platform);
  const auto workers = static_cast<std::uint32_t>(platform.workers.size());
  std::vector<Arrival> arrivals;
  while (arrivals.size() < flows) {
    const WorkerPlace& from = platform.workers[draw.below(workers)];
    const WorkerPlace& to = platform.workers[draw.below(workers)];
    if (from.process != to.process) {
      arrivals.push_back({.at = draw.real(0, 0.2),
                          .ports = network.ports(from, to),
                          .bytes = static_cast<std::uint64_t>(draw.real(1e5, 1e7))});
    }
  }
  return arrivals;
}

TEST(FlowRates, AreThoseOfAPlainRecomputation) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Draw draw(seed, seed % 4 == 0);
    const Platform platform = random_platform(draw);
    const std::vector<Arrival> arrivals = random_arrivals(draw, platform, 5 + draw.below(200));
    const std::vector<Seconds> simulated = ends_of_flows(platform, arrivals);
    const std::vector<Seconds> expected = PlainFlows(platform, arrivals).ends();
    for (std::size_t i = 0; i < arrivals.size(); ++i) {
      ASSERT_NEAR(simulated[i], expected[i], 1e-9 * expected[i]) << "seed " << seed << ", flow " << i;
    }
  }
}

// Each flow that begins or ends changes the rates of all, but not what is to happen.
TEST(FlowRates, EventsDoNotGrowWithTheFlowsThatShareALink) {
  const Platform platform = make_platform({.hosts = 2});
  constexpr std::uint32_t kFlows = 2000;
  std::vector<Arrival> arrivals;
  for (std::uint32_t i = 0; i < kFlows; ++i) {
    arrivals.push_back({.at = i * 1e-6, .ports = {.out = 0, .in = 1}, .bytes = 10'000'000 + 1000 * i});
  }
  EventQueue events;
  Flows flows(platform, events);
  std::uint32_t begun = 0;
  std::uint32_t ended = 0;
  while (begun < kFlows || !events.empty()) {
    if (begun < kFlows && (events.empty() || arrivals[begun].at <= events.next_time())) {
      const Arrival& arrival = arrivals[begun];
      flows.start(begun++, arrival.ports, arrival.bytes, arrival.at);
      continue;
    }
    const sim::Event event = events.pop();
    event.kind == sim::SimEventKind::update_rates
        ? flows.update_rates(event.time)
        : void(ended += static_cast<std::uint32_t>(flows.end(event.time).size()));
  }
  EXPECT_EQ(ended, kFlows);
  EXPECT_LT(events.added(), 5 * kFlows);
}

}  // namespace
}  // namespace weft::sim::test

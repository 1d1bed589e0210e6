// Parameters of a machine from timings: those that a machine of known parameters would show.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sim/calibration.hpp"
#include "sim/least_squares.hpp"
#include "sim/platform_file.hpp"

namespace weft::sim::test {
namespace {

constexpr std::uint64_t kEager = 16384;
constexpr LinkCost kTrue{
    .overhead = 0.2e-6, .latency = 0.7e-6, .gap = 0.3e-6, .per_byte = 0.2e-9, .copy_per_byte = 0.05e-9};

Seconds half_round_trip(LinkKind kind, const LinkCost& link, std::uint64_t length) {
  const auto n = static_cast<double>(length);
  const Seconds bytes = kind == LinkKind::same_worker ? 0.0 : n * link.per_byte;
  if (length <= kEager) {
    const double copies = kind == LinkKind::between_hosts ? 1 : 2;
    return 2 * link.overhead + link.latency + bytes + copies * n * link.copy_per_byte;
  }
  const double announcing = kind == LinkKind::same_worker ? 1 : 3;
  const Seconds copying = kind == LinkKind::in_memory || kind == LinkKind::same_worker ? n * link.copy_per_byte : 0.0;
  return 2 * link.overhead + announcing * link.latency + bytes + copying;
}

// `factor` is that of a machine that is busy for a while.
std::vector<Timing> round_of(LinkKind kind, const LinkCost& link, double factor = 1.0) {
  std::vector<Timing> round;
  for (const std::uint64_t bytes : {0U, 256U, 4096U, 16384U, 65536U, 1048576U}) {
    round.push_back({"ping-pong", bytes, factor * half_round_trip(kind, link, bytes)});
    const Seconds one_side = link.overhead + static_cast<double>(bytes) * link.copy_per_byte;
    if (bytes > kEager && kind == LinkKind::between_hosts) {
      round.push_back({"send", bytes, factor * (link.overhead + 1.3 * one_side)});  // the sender has more to do
      round.push_back({"receive", bytes, factor * 0.7 * one_side});
    }
    if (bytes <= kEager) {
      round.push_back({"send", bytes, factor * one_side});
      round.push_back({"receive", bytes, factor * one_side});
      round.push_back({"flood", bytes, factor * (link.gap + static_cast<double>(bytes) * link.per_byte)});
    }
  }
  if (kind == LinkKind::between_hosts) {
    round.push_back({"exchange", 262144, factor * 262144 * link.per_byte});
  }
  if (kind == LinkKind::same_worker) {
    round.push_back({"yield", 0, factor * link.latency});
  }
  return round;
}

void expect_near(double expected, const Figure& figure) { EXPECT_NEAR(figure.value, expected, 1e-9 * expected); }

TEST(LeastSquares, FindsWhatTheEquationsCameFrom) {
  const Unknowns truth{3e-6, 0.0, 5e-9, 1.0};
  std::vector<Equation> equations;
  for (int i = 1; i < 8; ++i) {
    Equation equation{.coefficients = {1.0, 1.0 + i % 3, 1000.0 * i * i, 1e-6 * (i % 2)}};
    for (std::size_t k = 0; k < kUnknowns; ++k) {
      equation.seconds += equation.coefficients[k] * truth[k];
    }
    equations.push_back(equation);
  }
  const Fit fit = least_squares(equations);
  for (std::size_t k = 0; k < kUnknowns; ++k) {
    EXPECT_NEAR(fit.values[k], truth[k], 1e-9 * truth[k] + 1e-15) << k;
  }
  EXPECT_LT(fit.misfit, 1e-9);
}

TEST(LeastSquares, NoUnknownIsNegativeAndOneWithoutEquationsIsZero) {
  // The line through these points falls; the best one that does not is their mean, as relative errors see it.
  const std::vector<Equation> equations{{{1, 1, 0, 0}, 2.0}, {{1, 2, 0, 0}, 1.0}};
  const Fit fit = least_squares(equations);
  EXPECT_DOUBLE_EQ(fit.values[0], (1 / 2.0 + 1 / 1.0) / (1 / 4.0 + 1 / 1.0));
  EXPECT_EQ(fit.values[1], 0.0);
  EXPECT_EQ(fit.values[2], 0.0);
  EXPECT_GT(fit.misfit, 0.1);
}

TEST(LeastSquares, RelativeErrorsCount) {
  const std::vector<Equation> equations{{{1, 0, 0, 0}, 1e-6}, {{1, 0, 0, 0}, 3e-6}};
  EXPECT_NEAR(least_squares(equations).values[0], (1 / 1e-6 + 1 / 3e-6) / (1 / 1e-12 + 1 / 9e-12), 1e-15);
}

TEST(Calibration, LinksAreFoundAgain) {
  for (const LinkKind kind : {LinkKind::in_memory, LinkKind::between_processes, LinkKind::between_hosts}) {
    const std::vector<std::vector<Timing>> rounds(3, round_of(kind, kTrue));
    const LinkFigures figures = fit_link(rounds, kind, kEager);
    expect_near(kTrue.overhead, figures.overhead);
    expect_near(kTrue.latency, figures.latency);
    expect_near(kTrue.gap, figures.gap);
    expect_near(kTrue.per_byte, figures.per_byte);
    expect_near(kTrue.copy_per_byte, figures.copy_per_byte);
    EXPECT_LT(figures.misfit, 1e-9);
  }
}

// A link with a token bucket sends the first bytes after a pause at once.
TEST(Calibration, BytesThatALimitedLinkSendsAtOnceDoNotCount) {
  std::vector<std::vector<Timing>> rounds(3, round_of(LinkKind::between_hosts, kTrue));
  for (std::vector<Timing>& round : rounds) {
    for (Timing& timing : round) {
      if (timing.what == "ping-pong" && timing.bytes > 1024) {
        timing.seconds -= 4096 * kTrue.per_byte;
      }
    }
  }
  const LinkFigures figures = fit_link(rounds, LinkKind::between_hosts, kEager);
  expect_near(kTrue.latency, figures.latency);
  expect_near(kTrue.per_byte, figures.per_byte);
  std::erase_if(rounds[0], [](const Timing& timing) { return timing.what == "exchange"; });
  EXPECT_THROW(fit_link(rounds, LinkKind::between_hosts, kEager), ProbeError);
}

TEST(Calibration, TwoRanksOfOneWorkerShowTheSwitch) {
  const std::vector<std::vector<Timing>> rounds(1, round_of(LinkKind::same_worker, kTrue));
  const LinkFigures figures = fit_link(rounds, LinkKind::same_worker, kEager);
  expect_near(kTrue.latency, figures.latency);
  expect_near(kTrue.copy_per_byte, figures.copy_per_byte);
  EXPECT_EQ(figures.per_byte.value, 0.0);
}

TEST(Calibration, ARoundOnABusyMachineChangesNothing) {
  std::vector<std::vector<Timing>> rounds(5, round_of(LinkKind::in_memory, kTrue));
  rounds[1] = round_of(LinkKind::in_memory, kTrue, 40.0);
  const LinkFigures figures = fit_link(rounds, LinkKind::in_memory, kEager);
  expect_near(kTrue.overhead, figures.overhead);
  EXPECT_LT(figures.overhead.spread, 1e-12);
  EXPECT_LT(typical_spread(rounds), 1e-9);
}

TEST(Calibration, FiguresAreMediansAndHalfOfTheMiddleHalf) {
  const Figure figure = figure_of({5, 1, 2, 4, 3});
  EXPECT_EQ(figure.value, 3);
  EXPECT_EQ(figure.spread, 1);
  EXPECT_EQ(figure_of({}).value, 0);
  EXPECT_EQ(typical_spread(std::vector<std::vector<Timing>>{{{"a", 0, 1.0}}, {{"a", 0, 2.0}}, {{"a", 0, 3.0}}}), 0.25);
}

ProbeOutput collective_probe(std::uint32_t ranks, std::uint32_t workers, const InMemoryCost& cost,
                             Seconds switch_cost) {
  ProbeOutput probe{.ranks = ranks, .workers = workers, .numa_nodes = 1, .rounds = {{}}};
  for (const std::uint64_t bytes : {0U, 8U, 65536U}) {
    const Seconds switches = ranks > workers ? switch_cost * ranks / workers : 0.0;
    const Seconds barrier = cost.step + ranks * cost.member + workers * cost.worker + switches;
    const Seconds combining = static_cast<double>(bytes) * ranks * cost.per_byte;
    probe.rounds[0].push_back(
        {"collective", bytes, bytes > 8 ? 2 * barrier + combining / workers : barrier + combining});
  }
  return probe;
}

TEST(Calibration, CollectiveCallsInMemoryAreFoundAgain) {
  const InMemoryCost truth{.step = 0.4e-6, .member = 0.03e-6, .worker = 0.3e-6, .per_byte = 0.2e-9};
  constexpr Seconds kSwitch = 0.08e-6;
  std::vector<ProbeOutput> probes;
  for (const std::uint32_t workers : {1U, 2U}) {
    for (const std::uint32_t ratio : {1U, 8U, 32U}) {
      probes.push_back(collective_probe(ratio * workers, workers, truth, kSwitch));
    }
  }
  const CollectiveFigures figures = fit_collectives(probes, kSwitch);
  expect_near(truth.step, figures.step);
  expect_near(truth.member, figures.member);
  expect_near(truth.worker, figures.worker);
  expect_near(truth.per_byte, figures.per_byte);
}

TEST(Calibration, StepsAndMovesAreFoundAgain) {
  // 8 ranks on 2 workers: each packs 4 and unpacks 4.
  const ProbeOutput probe{
      .ranks = 8, .workers = 2, .numa_nodes = 1, .rounds = {{{"step", 0, 20e-6 + 4e-7}, {"moves", 0, 44e-6 + 4e-7}}}};
  const StepFigures figures = fit_steps(probe, 1e-7);
  expect_near(20e-6, figures.step);
  expect_near(3e-6, figures.move);
}

ProbeOutput cold_probe(const std::vector<double>& messages, Seconds switching, Seconds long_receive) {
  ProbeOutput probe{.ranks = 4, .workers = 2, .numa_nodes = 1};
  for (const double message : messages) {
    probe.rounds.push_back({{"send", 8, message + 1e-7},
                            {"receive", 8, message - 1e-7},
                            {"switch", 8, switching},
                            {"send", 80008, 1.0},
                            {"receive", 80008, message - 1e-7 + long_receive},
                            {"switch", 80008, 1.0}});
  }
  return probe;
}

TEST(Calibration, ColdCachesAreFoundAgain) {
  const ProbeOutput warm = cold_probe({2e-7, 2e-7, 9e-7}, 1e-7, 2e-6);
  const ColdFigures figures = fit_cold(cold_probe({12e-7, 8e-7, 10e-7}, 6e-7, 8e-6), warm, 1e-3);
  EXPECT_EQ(figures.computing, 1e-3);
  expect_near(8e-7, figures.message);
  EXPECT_GT(figures.message.spread, 0.0);
  expect_near(5e-7, figures.switching);
  expect_near(1e-10, figures.copy_per_byte);
  // Where a busy machine had the warm ones take longer, nothing is negative.
  EXPECT_EQ(fit_cold(cold_probe({2e-7}, 1e-7, 0.0), cold_probe({3e-7}, 2e-7, 0.0), 1e-3).message.value, 0.0);
}

TEST(Calibration, TheFileIsAPlatform) {
  Calibration calibration{.host = "node7", .cores = 4, .numa_nodes = 2, .eager_limit = 4096};
  calibration.multiply_add = {.value = 2e-9, .spread = 1e-10};
  calibration.speed = 1.25;
  calibration.links[0].latency = {.value = 0.1e-6};
  for (std::size_t i = 1; i < lb::kDistancesWithinHost; ++i) {
    calibration.links[i] = {.overhead = {.value = 0.2e-6},
                            .latency = {.value = 0.3e-6},
                            .gap = {.value = 0.4e-6},
                            .per_byte = {.value = 0.5e-9},
                            .copy_per_byte = {.value = 0.1e-9}};
  }
  calibration.in_memory = {
      .step = {.value = 1e-6}, .member = {.value = 2e-8}, .worker = {.value = 3e-7}, .per_byte = {.value = 1e-10}};
  calibration.steps = {.step = {.value = 25e-6}, .move = {.value = 4e-6}};
  calibration.links_spread = 0.07;
  calibration.cold = {{.computing = 1e-4,
                       .message = {.value = 0.3e-6},
                       .switching = {.value = 0.4e-6},
                       .copy_per_byte = {.value = 0.2e-9}}};
  const Platform platform = parse_platform(platform_json(calibration), "p.json");
  EXPECT_EQ(platform.hosts, std::vector<std::string>{"node7"});
  ASSERT_EQ(platform.workers.size(), 4U);
  EXPECT_EQ(platform.workers[3].numa, 1U);
  EXPECT_EQ(platform.workers[3].speed, 1.25);
  EXPECT_EQ(platform.eager_limit, 4096U);
  EXPECT_DOUBLE_EQ(platform.switch_cost, 0.1e-6);
  EXPECT_DOUBLE_EQ(platform.near[0].latency, 0.0);
  EXPECT_DOUBLE_EQ(platform.near[1].gap, 0.0);
  EXPECT_DOUBLE_EQ(platform.near[3].gap, 0.4e-6);
  EXPECT_DOUBLE_EQ(platform.near[3].per_byte, 0.5e-9);
  EXPECT_DOUBLE_EQ(platform.in_memory.member, 2e-8);
  EXPECT_DOUBLE_EQ(platform.in_memory.per_byte, 1e-10);
  EXPECT_DOUBLE_EQ(platform.step_cost, 25e-6);
  EXPECT_DOUBLE_EQ(platform.move_cost, 4e-6);
  EXPECT_DOUBLE_EQ(platform.multiply_adds_per_us, 500);
  EXPECT_DOUBLE_EQ(platform.uncertainty.computing, 0.05);
  EXPECT_DOUBLE_EQ(platform.uncertainty.links, 0.07);
  ASSERT_EQ(platform.cold_caches.size(), 1U);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].computing, 1e-4);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].message, 0.3e-6);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].switching, 0.4e-6);
  EXPECT_DOUBLE_EQ(platform.cold_caches[0].copy_per_byte, 0.2e-9);
  EXPECT_NE(calibration_table(calibration).find("node7: 4 cores, 2 NUMA nodes"), std::string::npos);
}

TEST(Calibration, TwoHostsHaveALink) {
  Calibration calibration{.host = "node", .cores = 2};
  calibration.multiply_add = {.value = 2e-9};
  calibration.links.push_back({.overhead = {.value = 2e-6},
                               .latency = {.value = 30e-6},
                               .gap = {.value = 4e-6},
                               .per_byte = {.value = 1e-9},
                               .copy_per_byte = {.value = 0.2e-9}});
  const Platform platform = parse_platform(platform_json(calibration), "p.json");
  EXPECT_EQ(platform.hosts, (std::vector<std::string>{"node0", "node1"}));
  EXPECT_EQ(platform.workers.size(), 4U);
  ASSERT_EQ(platform.within_site.size(), 1U);
  EXPECT_DOUBLE_EQ(platform.within_site[0].overhead, 2e-6);
  EXPECT_DOUBLE_EQ(platform.within_site[0].latency, 30e-6);
  EXPECT_DOUBLE_EQ(platform.within_site[0].gap, 4e-6);
  EXPECT_DOUBLE_EQ(platform.within_site[0].per_byte, 1e-9);
  EXPECT_DOUBLE_EQ(platform.within_site[0].copy_per_byte, 0.2e-9);
  EXPECT_NE(calibration_table(calibration).find("between hosts"), std::string::npos);
}

TEST(Calibration, ProbesAreRead) {
  const ProbeOutput probe = parse_probe("shape 2 1 1\nround\nping-pong 8 1e-6\nround\nping-pong 8 2e-6\n");
  EXPECT_EQ(probe.ranks, 2U);
  ASSERT_EQ(probe.rounds.size(), 2U);
  EXPECT_EQ(probe.rounds[1][0].seconds, 2e-6);
  for (const char* const text : {"", "shape 2 1\n", "shape 2 1 1\nround\nping-pong 8\n", "shape 2 1 1\nping-pong 8 1\n",
                                 "shape 2 1 1\nround\nping-pong 8 0\n", "hello\n"}) {
    EXPECT_THROW(parse_probe(text), ProbeError) << text;
  }
}

}  // namespace
}  // namespace weft::sim::test

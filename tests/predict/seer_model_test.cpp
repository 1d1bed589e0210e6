// The equations of HPCCloud Seer in cases computed by hand.
#include "predict/seer_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace weft::predict {
namespace {

SeerModel::Run run(std::vector<std::uint32_t> processes_on, double time, double sends = 10.0, double bytes = 100.0) {
  double processes = 0.0;
  for (const std::uint32_t here : processes_on) {
    processes += here;
  }
  return {.profile = {.processes = processes, .sends = sends, .message_bytes = bytes, .wait = 0.0, .time = time},
          .setting = {.processes_on = std::move(processes_on), .cores = 4, .seconds_per_byte = 1e-3}};
}

TEST(SeerModel, SendsAndMessagesFollowTheirForms) {
  // s(n) = 5 ln n + 7, m(n) = 800 / n + 20
  std::vector<SeerProfile> profiles;
  for (const double n : {2.0, 4.0, 8.0}) {
    profiles.push_back({.processes = n, .sends = 5.0 * std::log(n) + 7.0, .message_bytes = 800.0 / n + 20.0});
  }
  const SendsFit sends = fit_sends(profiles);
  EXPECT_NEAR(sends.c, 5.0, 1e-9);
  EXPECT_NEAR(sends.d, 7.0, 1e-9);
  EXPECT_NEAR(sends.at(32.0), 5.0 * std::log(32.0) + 7.0, 1e-9);
  const MessageFit messages = fit_messages(profiles);
  EXPECT_NEAR(messages.a, 800.0, 1e-9);
  EXPECT_NEAR(messages.b, 20.0, 1e-9);
  EXPECT_EQ((MessageFit{.a = 10.0, .b = -5.0}).at(4.0), 0.0);
  EXPECT_EQ(fit_sends(std::span(profiles).first(1)).c, 0.0);
}

TEST(SeerModel, ServiceTimesOfEquations8And9) {
  EXPECT_DOUBLE_EQ(cpu_service(240.0, 10.0, 6.0, 4), 1.0);  // 240 / (10 * 6 * 4)
  EXPECT_DOUBLE_EQ(cpu_service(240.0, 10.0, 3.0, 4), 240.0 / 90.0);
  EXPECT_DOUBLE_EQ(net_service(2.0, 500.0, 1e-3), 1.0);
}

TEST(SeerModel, VisitRatiosOfEquations10To12) {
  const CycleParts parts = cycle_parts({.processes = 4.0, .sends = 10.0, .wait = 2.0, .time = 8.0});
  EXPECT_DOUBLE_EQ(parts.communicating, 0.25);
  EXPECT_DOUBLE_EQ(parts.computing, 0.75);
  // 3 of 4 processes here: 3/4 * 3/4 + 3/4 * 2/4 * 1/4 + 1/4 * 3/4 * 1/4 = 9/16 + 6/64 + 3/64
  EXPECT_DOUBLE_EQ(cpu_visits(3.0, 4.0, parts), 45.0 / 64);
  EXPECT_DOUBLE_EQ(net_visits(3.0, 4.0), 6.0 / 16);
  EXPECT_DOUBLE_EQ(net_visits(4.0, 4.0), 0.0);
}

// One node is one queue: R = n V S. Without waits T = n K / (n min(n, c)) = K / min(n, c).
TEST(SeerModel, OneNodeWithoutWaits) {
  const std::array runs{run({1}, 60.0), run({2}, 30.0), run({4}, 15.0)};
  const SeerModel model(runs);
  EXPECT_NEAR(model.constants().cpu, 60.0, 1e-7);
  EXPECT_EQ(model.constants().net, 1.0);
  EXPECT_FALSE(model.report().net_determined);
  EXPECT_TRUE(model.report().converged);
  EXPECT_NEAR(model.report().rms, 0.0, 1e-9);
  EXPECT_NEAR(model.time({.processes_on = {8}, .cores = 8}), 7.5, 1e-7);
  EXPECT_NEAR(model.time({.processes_on = {8}, .cores = 2}), 30.0, 1e-7);
  EXPECT_NEAR(model.time({.processes_on = {8}, .cores = 8, .speed = 2.0}), 3.75, 1e-7);
}

// A quarter of each cycle waits: V_CPU = 3/4 + (n - 1)/n * 1/4 = 1 - 1/(4 n).
TEST(SeerModel, OneNodeWithWaits) {
  std::array runs{run({1}, 60.0), run({2}, 30.0), run({4}, 15.0)};
  for (SeerModel::Run& each : runs) {
    each.profile.time *= 1.0 - 1.0 / (4.0 * each.profile.processes);
    each.profile.wait = each.profile.time / 4.0;
  }
  const SeerModel model(runs);
  EXPECT_NEAR(model.constants().cpu, 60.0, 1e-6);
  EXPECT_NEAR(model.time({.processes_on = {8}, .cores = 4}), 15.0 * (1.0 - 1.0 / 32.0), 1e-6);
}

// Two nodes of two processes: V_CPU = 1/2, V_net = 1/2; S_CPU = K / (10 * 4 * 4), S_net = N * 0.1. With K = 160 and
// N = 10 all four demands are 1/2: R = (4 + 4 - 1) / 2 = 3.5, T = 35.
TEST(SeerModel, TwoNodesDetermineBothConstants) {
  const std::array runs{run({1}, 160.0), run({4}, 40.0), run({2, 2}, 35.0)};
  const SeerModel model(runs);
  EXPECT_TRUE(model.report().net_determined);
  EXPECT_NEAR(model.constants().cpu, 160.0, 1e-5);
  EXPECT_NEAR(model.constants().net, 10.0, 1e-5);
  EXPECT_NEAR(model.time({.processes_on = {2, 2}, .cores = 4, .seconds_per_byte = 1e-3}), 35.0, 1e-6);
}

// The recursion by hand: three processes on nodes of 2 and 1. Demands: CPU 2/3 and 1/3 of S, links 4/9 each of M.
TEST(SeerModel, UnevenNodes) {
  std::array runs{run({1}, 90.0), run({2}, 45.0), run({4}, 22.5)};
  const SeerModel model(runs);  // K = 90, s = 10; N stays 1
  const double s = 90.0 / (10.0 * 3.0 * 3.0);
  const double m = 100.0 * 9e-3;
  const std::array demands{2.0 / 3 * s, 1.0 / 3 * s, 4.0 / 9 * m, 4.0 / 9 * m};
  // Elementary symmetric: G(3) and G(2), the sums of all products of 3 and 2 demands with repetition; X = G(2)/G(3).
  double two = 0.0;
  double three = 0.0;
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = i; j < 4; ++j) {
      two += demands[i] * demands[j];
      for (std::size_t k = j; k < 4; ++k) {
        three += demands[i] * demands[j] * demands[k];
      }
    }
  }
  const double response = 3.0 * three / two;
  EXPECT_NEAR(model.time({.processes_on = {2, 1}, .cores = 4, .seconds_per_byte = 9e-3}), 10.0 * response, 1e-6);
}

TEST(SeerModel, SendsThatFallToNothingGiveNoTime) {
  const std::array runs{run({1}, 60.0, 30.0), run({2}, 30.0, 20.0), run({4}, 15.0, 10.0)};
  const SeerModel model(runs);
  EXPECT_TRUE(std::isfinite(model.time({.processes_on = {4}, .cores = 4})));
  EXPECT_TRUE(std::isnan(model.time({.processes_on = {16}, .cores = 4})));
}

// s(1) is -165, so no constants make the times of the profiles.
TEST(SeerModel, SendsThatAreNothingAtAProfileGiveNoTimeAnywhere) {
  const SeerModel model(std::vector{run({1}, 8.0, 1.0), run({4}, 2.0, 2.0), run({16}, 1.0, 1000.0)});
  EXPECT_TRUE(std::isnan(model.time({.processes_on = {1}, .cores = 4})));
  EXPECT_TRUE(std::isnan(model.time({.processes_on = {16}, .cores = 4})));
}

}  // namespace
}  // namespace weft::predict

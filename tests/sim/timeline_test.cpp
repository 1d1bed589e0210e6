// A simulated run's timeline agrees with its result.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <sstream>

#include <nlohmann/json.hpp>

#include "sim/generate.hpp"
#include "sim/timeline.hpp"
#include "tests/sim/workloads.hpp"
#include "trace/chrome.hpp"

namespace weft::sim::test {
namespace {

struct Recorded {
  ReplayResult result;
  trace::Trace trace;
};

Recorded record(const Workload& workload, const Platform& platform, const std::string& strategy = "none") {
  Timeline timeline;
  Recorded recorded{
      replay(workload, platform, {.balancing = {.strategy = strategy, .when = "every:4"}, .timeline = &timeline}), {}};
  recorded.trace = timeline.take_trace();
  return recorded;
}

Workload stencil() {
  return generate(
      "stencil", {.extents = {4, 3, 1}, .iterations = 10, .work = 1e-3, .imbalance = Imbalance::linear, .amount = 0.5});
}

std::map<trace::EventKind, std::uint64_t> counts(const trace::Trace& trace) {
  std::map<trace::EventKind, std::uint64_t> result;
  for (const auto& worker : trace.workers) {
    for (const trace::Event& event : worker) {
      ++result[event.kind];
    }
  }
  return result;
}

// Nothing runs twice at a time, and no longer than the worker was busy, but for switches.
TEST(Timeline, RunsAreWhatWorkersDid) {
  const Recorded recorded = record(stencil(), make_platform({.hosts = 2, .cores = 2}));
  for (std::size_t worker = 0; worker < recorded.trace.workers.size(); ++worker) {
    std::uint64_t end = 0;
    std::int64_t sum = 0;
    for (const trace::Event& event : recorded.trace.workers[worker]) {
      if (event.kind == trace::EventKind::run) {
        EXPECT_LE(end, event.time - static_cast<std::uint64_t>(event.value));
        end = event.time;
        sum += event.value;
      }
    }
    EXPECT_NEAR(static_cast<double>(sum) * 1e-9, recorded.result.busy[worker], 1e-6);
    EXPECT_LE(static_cast<double>(end) * 1e-9, recorded.result.makespan + 1e-9);
  }
}

// A rank alone on its worker: what it waits for is no part of its runs.
TEST(Timeline, WaitingIsNoRun) {
  const Workload workload = make_workload(2, [](std::uint32_t rank, TemplateBuilder& builder) {
    const MessageSpec message{.peer = Peer::rank(1 - rank), .bytes = 8};
    rank == 0 ? builder.compute(1).send(message) : builder.recv(message).compute(1);
  });
  const Recorded recorded = record(workload, hosts_of_one_core(2));
  std::int64_t sum = 0;
  for (const trace::Event& event : recorded.trace.workers[1]) {
    sum += event.kind == trace::EventKind::run ? event.value : 0;
  }
  EXPECT_NEAR(static_cast<double>(sum) * 1e-9, 1, 1e-4);
}

TEST(Timeline, EachMessageAndCallHasTwoEnds) {
  const Recorded recorded = record(stencil(), make_platform({.hosts = 2, .cores = 2}));
  auto count = counts(recorded.trace);
  EXPECT_EQ(count[trace::EventKind::sent], recorded.result.messages);
  EXPECT_EQ(count[trace::EventKind::received], recorded.result.messages);
  // Two for each message, and in each iteration a wait and MPI_Migrate.
  EXPECT_EQ(count[trace::EventKind::call_begin], 2 * recorded.result.messages + std::uint64_t{12} * 10 * 2);
  EXPECT_EQ(count[trace::EventKind::call_end], count[trace::EventKind::call_begin]);
}

TEST(Timeline, ShowsStepsAndMoves) {
  const Recorded recorded = record(stencil(), make_platform({.hosts = 2, .cores = 2}), "greedy");
  std::uint64_t moves = 0;
  for (const StepReport& step : recorded.result.steps) {
    moves += step.moves;
  }
  EXPECT_GT(moves, 0U);
  EXPECT_EQ(counts(recorded.trace)[trace::EventKind::move], moves);
  ASSERT_EQ(recorded.trace.job.size(), recorded.result.steps.size());
  for (std::size_t i = 0; i < recorded.trace.job.size(); ++i) {
    EXPECT_NEAR(static_cast<double>(recorded.trace.job[i].value) * 1e-9, recorded.result.steps[i].seconds, 2e-9);
  }
}

TEST(Timeline, AnExportIsJson) {
  std::ostringstream text;
  trace::write_chrome(record(stencil(), make_platform({.hosts = 2, .cores = 2}), "rotate").trace, text);
  const nlohmann::json json = nlohmann::json::parse(text.str());
  const auto is_step = [](const auto& event) { return event.value("name", "") == "balancing step"; };
  EXPECT_EQ(std::ranges::count_if(json.at("traceEvents"), is_step), 2);
}

TEST(Timeline, ChangesNothing) {
  const Workload workload = generate("bsp", {.extents = {12, 1, 1}, .iterations = 8});
  const Platform platform = make_platform({.hosts = 3, .cores = 2});
  EXPECT_EQ(record(workload, platform, "refine").result.ended,
            replay(workload, platform, {.balancing = {.strategy = "refine", .when = "every:4"}}).ended);
}

}  // namespace
}  // namespace weft::sim::test

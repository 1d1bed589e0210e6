// A balancing step's strategy alone, on synthetic instances: 10^4 ranks on 64 workers, 10^6 ranks on 1024 workers, 16
// workers to a process and 8 processes to a host; loads are log-normal, a third of the ranks crowd on a tenth of the
// workers. Parts of `hierarchical` that run in parallel in a job are timed separately.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <string>

#include "lb/job_tree.hpp"
#include "lb/loads.hpp"
#include "lb/refine.hpp"
#include "lb/strategy.hpp"

namespace {

using namespace weft;

lb::Instance synthetic(std::uint32_t ranks, std::uint32_t workers, bool edges) {
  std::mt19937_64 random(1);
  std::lognormal_distribution<double> seconds(-7.0, 0.7);
  lb::Instance instance;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    instance.workers.push_back({1.0, 0.0, {worker / 8, worker / 16, worker / 128}});
  }
  for (std::uint32_t i = 0; i < ranks; ++i) {
    const std::uint64_t block = std::uint64_t{i} * workers / ranks;
    const std::uint64_t home = random() % 3 == 0 ? random() % std::max(1U, workers / 10) : block;
    instance.ranks.push_back(
        {RankId{i}, WorkerId{static_cast<std::uint32_t>(home)}, seconds(random), random() % (1U << 20U), true});
  }
  for (std::uint32_t i = 0; edges && i + 100 < ranks; ++i) {
    instance.edges.push_back({i, i + 1, 20, 65536});
    instance.edges.push_back({i, i + 100, 20, 65536});
  }
  return instance;
}

void solve(benchmark::State& state, const std::string& name, bool edges) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const lb::Instance instance = synthetic(ranks, static_cast<std::uint32_t>(state.range(1)), edges);
  const auto strategy = lb::make_strategy(name);
  lb::Plan plan;
  for (auto _ : state) {
    plan = strategy->solve(instance);
    benchmark::DoNotOptimize(plan.data());
  }
  const double ideal = lb::ideal_seconds(instance);
  state.counters["before"] = lb::longest_seconds(instance, lb::homes_of(instance)) / ideal;
  state.counters["after"] = lb::longest_seconds(instance, plan) / ideal;
  state.counters["moved"] = static_cast<double>(lb::moves_of(instance, plan).ranks) / ranks;
}

using Clock = std::chrono::steady_clock;
double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// As a job runs it: each step takes as long as the process that takes longest; hosts and job come one after the other.
void hierarchical_in_parallel(benchmark::State& state) {
  const auto ranks = static_cast<std::uint32_t>(state.range(0));
  const lb::Instance instance = synthetic(ranks, static_cast<std::uint32_t>(state.range(1)), false);
  const lb::Refine outer(1.02);
  const lb::Refine inner;
  lb::Plan plan(instance.ranks.size());
  for (auto _ : state) {
    lb::JobTree tree(instance);
    double seconds = 0.0;
    const auto all_processes = [&](const char* name, const auto& step) {
      double longest = 0.0;
      for (std::size_t p = 0; p < tree.process_count(); ++p) {
        const auto start = Clock::now();
        step(p);
        longest = std::max(longest, since(start));
      }
      seconds += longest;
      state.counters[name] = 1e3 * longest;
    };
    std::vector<lb::Summary> summaries(tree.process_count());
    all_processes("summarize_ms",
                  [&](std::size_t p) { summaries[p] = summarize(tree.process(p), lb::JobTree::kClusters); });
    const auto start = Clock::now();
    const auto targets = tree.decide(outer, summaries);
    state.counters["parents_ms"] = 1e3 * since(start);
    seconds += since(start);
    all_processes("send_ms", [&](std::size_t p) { tree.send(p, targets, summaries[p]); });
    all_processes("receive_ms", [&](std::size_t p) { tree.receive(p); });
    all_processes("settle_ms", [&](std::size_t p) { tree.balance_process(p, inner, plan); });
    state.SetIterationTime(seconds);
  }
  state.counters["after"] = lb::longest_seconds(instance, plan) / lb::ideal_seconds(instance);
  state.counters["moved"] = static_cast<double>(lb::moves_of(instance, plan).ranks) / ranks;
}

void register_all() {
  for (const lb::StrategyInfo& info : lb::strategies()) {
    const std::string name(info.name);
    for (const bool edges : {false, true}) {
      auto* const bench = benchmark::RegisterBenchmark((name + (edges ? "/edges" : "")).c_str(), solve, name, edges);
      bench->Args({10'000, 64})->Args({1'000'000, 1024})->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RegisterBenchmark("hierarchical-in-parallel", hierarchical_in_parallel)
      ->Args({10'000, 64})
      ->Args({1'000'000, 1024})
      ->Unit(benchmark::kMillisecond)
      ->UseManualTime();
}

}  // namespace

int main(int argc, char** argv) {
  register_all();
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// Measures how many actions the simulator executes in a second, by network and shape of the workload.
#include <benchmark/benchmark.h>

#include "sim/generate.hpp"
#include "sim/replay.hpp"

namespace {

using namespace weft::sim;

void simulate(benchmark::State& state, const Workload& workload, const UniformPlatform& shape, NetworkModel network) {
  const Platform platform = make_platform(shape);
  std::uint64_t actions = 0;
  for (auto _ : state) {
    actions += replay(workload, platform, {.network = network}).actions;
  }
  state.counters["actions/s"] = benchmark::Counter(static_cast<double>(actions), benchmark::Counter::kIsRate);
}

// range(0): ranks along each side of a cube; range(1): ranks on a worker.
void stencil(benchmark::State& state, NetworkModel network) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  const auto ratio = static_cast<std::uint32_t>(state.range(1));
  const Workload workload = generate(
      "stencil", {.extents = {side, side, side}, .iterations = 64, .imbalance = Imbalance::random, .amount = 0.5});
  const std::uint32_t workers = side * side * side / ratio;
  simulate(state, workload, {.hosts = (workers + 15) / 16, .processes = 2, .cores = 16}, network);
}

// The same with messages to other processes as flows, all of which begin and end at different times.
void stencil_of_flows(benchmark::State& state) {
  const auto side = static_cast<std::uint32_t>(state.range(0));
  const auto ratio = static_cast<std::uint32_t>(state.range(1));
  const Workload workload = generate("stencil", {.extents = {side, side, side},
                                                 .iterations = 16,
                                                 .bytes = 100'000,
                                                 .imbalance = Imbalance::random,
                                                 .amount = 0.5});
  const std::uint32_t workers = side * side * side / ratio;
  simulate(state, workload, {.hosts = (workers + 15) / 16, .processes = 2, .cores = 16}, NetworkModel::flows);
}
BENCHMARK(stencil_of_flows)->Args({8, 1})->Args({8, 8})->Args({16, 1})->Args({16, 8})->Args({24, 8});

void ring(benchmark::State& state, NetworkModel network) {
  const Workload workload = generate("ring", {.extents = {1024, 1, 1}, .iterations = 64, .work = 1e-6});
  simulate(state, workload, {.hosts = 64, .processes = 2, .cores = 16}, network);
}

void allreduce(benchmark::State& state, NetworkModel network) {
  const Workload workload = generate("bsp", {.extents = {4096, 1, 1}, .iterations = 64, .bytes = 64});
  simulate(state, workload, {.hosts = 64, .processes = 2, .cores = 16}, network);
}

#define WEFT_SIM_BENCH(network)                                                                          \
  BENCHMARK_CAPTURE(stencil, network, NetworkModel::network)->Args({8, 1})->Args({8, 8})->Args({24, 8}); \
  BENCHMARK_CAPTURE(ring, network, NetworkModel::network);                                               \
  BENCHMARK_CAPTURE(allreduce, network, NetworkModel::network)

WEFT_SIM_BENCH(loggp);
WEFT_SIM_BENCH(ports);

}  // namespace

BENCHMARK_MAIN();

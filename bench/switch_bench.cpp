// Measures a switch between ranks through the scheduler: all ranks of one worker yield in turn. Nanoseconds for each
// count.
//   switch_bench [ranks ...]   prints a line "switch_ns_<ranks> <value>" for each
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "runtime/job/job.hpp"
#include "runtime/sched/worker.hpp"

namespace {

using weft::runtime::FunctionProgram;
using weft::runtime::Job;
using weft::runtime::JobConfig;
using weft::runtime::Rank;
using weft::runtime::Worker;

constexpr std::uint32_t kSwitchesPerBatch = 2'000'000;
constexpr int kBatches = 5;

void yield_in_turn(std::uint32_t rounds) {
  for (std::uint32_t i = 0; i < rounds; ++i) {
    Worker::current()->yield();
  }
}

// Median over the batches.
double nanoseconds_per_switch(std::uint32_t ranks) {
  const std::uint32_t rounds = std::max(10U, kSwitchesPerBatch / ranks);
  std::vector<double> batches;
  FunctionProgram program([&](Rank& me) {
    yield_in_turn(10);
    for (int batch = 0; batch < kBatches; ++batch) {
      const auto start = std::chrono::steady_clock::now();
      yield_in_turn(rounds);
      if (me.id == weft::RankId{0}) {
        const std::chrono::duration<double, std::nano> spent = std::chrono::steady_clock::now() - start;
        batches.push_back(spent.count() / (static_cast<double>(rounds) * ranks));
      }
    }
    return 0;
  });
  JobConfig config;
  config.ranks = ranks;
  config.workers = 1;
  Job(config, program).run();
  std::nth_element(batches.begin(), batches.begin() + kBatches / 2, batches.end());
  return batches[kBatches / 2];
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::uint32_t> counts;
  for (int i = 1; i < argc; ++i) {
    counts.push_back(static_cast<std::uint32_t>(std::stoul(argv[i])));
  }
  if (counts.empty()) {
    counts = {2, 100, 1000, 10'000};
  }
  for (const std::uint32_t ranks : counts) {
    std::printf("switch_ns_%u %.2f\n", ranks, nanoseconds_per_switch(ranks));
    std::fflush(stdout);
  }
  return 0;
}

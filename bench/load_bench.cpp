// Measures what measuring ranks' loads costs, with segments of 10 us that the worker's meter charges or not; and what
// an event of the timeline costs.
//   load_bench [CLOCK]   prints lines "<what> <value>"; CLOCK as of --load-clock
#include <algorithm>
#include <cstdio>
#include <exception>
#include <vector>

#include "runtime/meter/ticks.hpp"
#include "runtime/p2p/traffic.hpp"
#include "runtime/sched/worker_meter.hpp"
#include "runtime/timeline/recorder.hpp"

namespace {

using weft::runtime::Recorder;
using weft::runtime::ticks;
using weft::runtime::ticks_per_second;
using weft::runtime::Traffic;
using weft::runtime::WorkerMeter;

constexpr double kSegment = 10e-6;  // seconds
constexpr int kSegments = 300;      // in a batch: 3 ms
constexpr int kBatches = 401;

// Work whose length is a number of iterations, not a time. All measurements share this loop: its address decides how
// fast it is.
[[gnu::noinline, gnu::aligned(64)]] void work(std::uint64_t iterations) {
  for (std::uint64_t i = 0; i < iterations; ++i) {
    asm volatile("");
  }
}

double seconds_since(std::uint64_t start) { return static_cast<double>(ticks() - start) / ticks_per_second(); }

// The number of iterations that take one segment.
std::uint64_t iterations_of_a_segment() {
  constexpr std::uint64_t kMany = 1'000'000;
  double best = 1;
  for (int i = 0; i < 20; ++i) {
    const std::uint64_t start = ticks();
    work(kMany);
    best = std::min(best, seconds_since(start));
  }
  return static_cast<std::uint64_t>(kSegment * static_cast<double>(kMany) / best);
}

double plain(std::uint64_t iterations) {
  const std::uint64_t start = ticks();
  for (int i = 0; i < kSegments; ++i) {
    work(iterations);
  }
  return seconds_since(start);
}

double metered(std::uint64_t iterations, WorkerMeter& meter, std::uint64_t& charged) {
  const std::uint64_t start = meter.begin_segment();
  std::uint64_t segment = start;
  for (int i = 0; i < kSegments; ++i) {
    work(iterations);
    const std::uint64_t now = ticks();
    charged += meter.cost(segment, now);
    segment = now;
  }
  return seconds_since(start);
}

// Uses the least value, not the median: other processes on this core can only add time.
double least(const std::vector<double>& batches) { return *std::min_element(batches.begin(), batches.end()); }

double traffic_nanoseconds() {
  constexpr std::uint32_t kMessages = 1'000'000;
  constexpr std::uint32_t kPeers = 8;
  std::vector<double> batches;
  Traffic traffic(kPeers * 1000);
  for (int i = 0; i < 5; ++i) {
    const std::uint64_t start = ticks();
    for (std::uint32_t m = 0; m < kMessages; ++m) {
      traffic.count(m % kPeers * 1000, 64);
    }
    batches.push_back(seconds_since(start));
  }
  return least(batches) / kMessages * 1e9;
}

double event_nanoseconds() {
  constexpr int kEvents = 500'000;
  std::vector<double> batches;
  for (int i = 0; i < 5; ++i) {
    Recorder recorder({.most_bytes = std::size_t{16} << 20, .file = {}});
    const std::uint64_t start = ticks();
    for (int e = 0; e < kEvents; ++e) {
      const std::uint64_t now = ticks();
      recorder.record_run(weft::RankId{7}, now - 100, now);
    }
    batches.push_back(seconds_since(start));
  }
  return least(batches) / kEvents * 1e9;
}

}  // namespace

int main(int argc, char** argv) try {
  WorkerMeter meter;
  meter.begin(std::nullopt, weft::runtime::choose_load_clock(argc > 1 ? argv[1] : "tsc"));
  const std::uint64_t iterations = iterations_of_a_segment();
  std::vector<double> without;
  std::vector<double> with;
  std::uint64_t charged = 0;
  for (int i = 0; i < kBatches; ++i) {
    without.push_back(plain(iterations));
    with.push_back(metered(iterations, meter, charged));
  }
  const double segment = least(without) / kSegments;
  const double more = (least(with) - least(without)) / kSegments;
  std::printf("segment_us %.3f\nmeter_ns_per_segment %.1f\nmeter_percent %.3f\n", segment * 1e6, more * 1e9,
              100 * more / segment);
  std::printf("traffic_ns_per_message %.1f\n", traffic_nanoseconds());
  std::printf("trace_ns_per_event %.1f\n", event_nanoseconds());
  return charged == 0 ? 1 : 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "load_bench: %s\n", error.what());
  return 1;
}

#include "sim/measured.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "trace/manifest.hpp"
#include "trace/sequence.hpp"

namespace weft::sim {
namespace {

using trace::Event;
using trace::EventKind;

// Sums up the events. Times are ticks of the first process.
class Measurement {
 public:
  Measurement(std::uint32_t ranks, std::uint32_t workers) : busy_(workers), ranks_(ranks) {}

  void handle(std::uint32_t worker, const Event& event) {
    if (!trace::has_rank(event.kind)) {
      return;
    }
    if (number(event.rank) >= ranks_.size()) {
      throw WorkloadError(fmt::format("the recording has events of rank {} of {}", number(event.rank), ranks_.size()));
    }
    RankTimes& rank = ranks_[number(event.rank)];
    begin_ = std::min(begin_, event.time);
    rank.ended = std::max(rank.ended, event.time);
    if (event.kind == EventKind::migrate) {
      migrate(worker, rank, event);
    } else if (event.kind == EventKind::compute) {
      rank.computed.push_back({worker, static_cast<double>(event.value) * 1e-9});
    }
  }

  ReplayResult result(double ticks_per_second) const {
    const auto seconds = [&](std::uint64_t from, std::uint64_t to) {
      return to > from ? static_cast<double>(to - from) / ticks_per_second : 0.0;
    };
    ReplayResult result;
    result.busy = busy_;
    result.iterations = iterations_;
    for (const RankTimes& rank : ranks_) {
      result.ended.push_back(seconds(begin_, rank.ended));
      for (const ComputedSpan& span : rank.computed) {
        result.busy[span.worker] += span.seconds;
      }
    }
    result.makespan = result.ended.empty() ? 0.0 : std::ranges::max(result.ended);
    for (const std::vector<std::uint64_t>& calls : calls_) {
      double sum = 0.0;
      for (const std::uint64_t call : calls) {
        sum += seconds(begin_, call);
      }
      result.iteration_ends.push_back(sum / static_cast<double>(calls.size()));
    }
    return result;
  }

 private:
  struct ComputedSpan {
    std::uint32_t worker = 0;
    Seconds seconds = 0.0;
  };
  struct RankTimes {
    std::uint64_t ended = 0;
    std::size_t calls = 0;               // of MPI_Migrate
    std::vector<ComputedSpan> computed;  // since the last such call
  };

  void migrate(std::uint32_t worker, RankTimes& rank, const Event& event) {
    const std::size_t call = rank.calls++;
    if (call == iterations_.size()) {
      iterations_.emplace_back(busy_.size());
      calls_.emplace_back();
    }
    const double load = static_cast<double>(event.value) * 1e-9;
    iterations_[call][worker] += static_cast<float>(load);
    busy_[worker] += load;
    calls_[call].push_back(event.time);
    rank.computed.clear();
  }

  std::vector<Seconds> busy_;  // by worker: up to the ranks' last calls of MPI_Migrate
  std::vector<RankTimes> ranks_;
  std::vector<std::vector<float>> iterations_;
  std::vector<std::vector<std::uint64_t>> calls_;  // by number of the call of MPI_Migrate: when ranks made it
  std::uint64_t begin_ = UINT64_MAX;
};

Platform platform_of(const trace::Manifest& manifest) {
  Platform platform;
  platform.hosts = manifest.hosts;
  platform.processes = static_cast<std::uint32_t>(manifest.processes.size());
  for (const trace::RecordedWorker& worker : manifest.workers) {
    platform.workers.push_back(
        {.numa = worker.numa, .process = worker.process, .host = manifest.processes[worker.process].host});
  }
  return platform;
}

}  // namespace

MeasuredRun measured_run(const std::string& folder) {
  const trace::Manifest manifest = trace::read_manifest(folder);
  const std::vector<trace::ProcessFiles> parts = trace::process_files(folder, manifest);
  trace::Names names;
  trace::Sequence sequence(parts, names);
  Measurement measurement(manifest.ranks() + manifest.spawned, sequence.worker_count());
  std::uint32_t worker = 0;
  for (Event event; sequence.next(worker, event);) {
    measurement.handle(worker, event);
  }
  MeasuredRun run{.result = measurement.result(1e9 * trace::ticks_per_nanosecond(parts.front().clock)),
                  .platform = platform_of(manifest),
                  .placement = manifest.placement};
  run.result.strategy = manifest.settings.lb;
  run.result.when = manifest.settings.lb_when;
  return run;
}

}  // namespace weft::sim

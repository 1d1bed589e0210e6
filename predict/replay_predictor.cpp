#include "predict/replay_predictor.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "sim/compile.hpp"
#include "sim/replay.hpp"

namespace weft::predict {
namespace {

// Shared by all fits of one kind.
struct Recordings {
  sim::Platform measured;
  std::function<void(std::size_t)> show;
  std::map<std::string, sim::Workload> workloads;  // by folder
  std::size_t replays = 0;
};

class ReplayPredictor final : public Predictor {
 public:
  ReplayPredictor(std::span<const Observation> runs, std::shared_ptr<Recordings> recordings)
      : runs_(runs.begin(), runs.end()), recordings_(std::move(recordings)) {}

  double time(const Configuration& where) const override {
    const Observation* best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const Observation& run : runs_) {
      const double distance = std::abs(std::log(static_cast<double>(run.where.ranks) / where.ranks));
      if (run.where.ranks >= where.cores() && distance < least) {
        least = distance;
        best = &run;
      }
    }
    if (best == nullptr) {
      return std::numeric_limits<double>::quiet_NaN();
    }
    try {
      const double seconds = replayed(*best, where);
      recordings_->show(++recordings_->replays);
      return seconds;
    } catch (const sim::WorkloadError&) {
      return std::numeric_limits<double>::quiet_NaN();
    }
  }

 private:
  [[nodiscard]] double replayed(const Observation& run, const Configuration& where) const {
    auto [known, is_new] = recordings_->workloads.try_emplace(run.profile.name);
    if (is_new) {
      known->second = sim::read_workload(run.profile.name);
    }
    const NetworkClass& network = where.machine.network;
    sim::Platform platform = sim::make_platform(
        {.hosts = where.instances,
         .processes = 1,
         .cores = where.machine.cores,
         .link = {.overhead = network.overhead, .latency = network.latency, .per_byte = network.seconds_per_byte}});
    platform.near = recordings_->measured.near;
    platform.in_memory = recordings_->measured.in_memory;
    platform.cold_caches = recordings_->measured.cold_caches;
    platform.switch_cost = recordings_->measured.switch_cost;
    for (sim::WorkerPlace& worker : platform.workers) {
      worker.speed = where.machine.effective_speed() / run.where.machine.speed;
    }
    return sim::replay(known->second, platform, {.homes = sim::block_homes(run.where.ranks, where.cores())}).makespan;
  }

  std::vector<Observation> runs_;
  std::shared_ptr<Recordings> recordings_;
};

}  // namespace

PredictorKind replay_kind(const sim::Platform& measured, const std::function<void(std::size_t)>& show) {
  const auto recordings = std::make_shared<Recordings>(Recordings{.measured = measured, .show = show, .workloads = {}});
  return {.name = "replay",
          .what = "weftsim replays the recording of the nearest size",
          .fit = [recordings](std::span<const Observation> runs) -> std::unique_ptr<Predictor> {
            return std::make_unique<ReplayPredictor>(runs, recordings);
          }};
}

}  // namespace weft::predict

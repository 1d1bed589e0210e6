#include "runtime/location/recent_loads.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "lb/loads.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace location {
namespace {

constexpr double kLongestInterval = 1.0;  // seconds, after which ranks that run without a break end it, too
// Switches that each rank must have made, so that the interval contains some of its time steps whole.
constexpr std::uint64_t kLeastSwitches = 8;

// The worker on which the rank counts. One that is on its way, or has moved temporarily, counts where it goes.
WorkerId home_of(const Rank& rank, const Worker& here) {
  const std::uint32_t target = rank.target_worker.load(std::memory_order_relaxed);
  return target == Rank::kAnyWorker ? here.id() : WorkerId{target};
}

}  // namespace

RecentLoads::RecentLoads(const JobContext& job)
    : job_(job),
      model_(lb::make_load_model("mean:0.5")),
      history_(model_->depth()),
      cycles_(job.ranks.universe()),
      switches_(job.ranks.universe()),
      seconds_(job.ranks.universe()) {}

bool RecentLoads::measure(double wall) {
  bool enough = true;
  for (std::uint32_t r = 0; r < cycles_.size() && enough; ++r) {
    const Rank& rank = job_.ranks[r];
    enough = !RankTable::lives_here(rank) ||
             rank.load.switches.load(std::memory_order_relaxed) - switches_[r] >= kLeastSwitches;
  }
  if (!enough && wall < kLongestInterval) {
    return false;
  }
  for (std::uint32_t r = 0; r < cycles_.size(); ++r) {
    const Load& load = job_.ranks[r].load;
    const std::uint64_t cycles = load.cycles.load(std::memory_order_relaxed);
    switches_[r] = load.switches.load(std::memory_order_relaxed);
    seconds_[r] = static_cast<double>(cycles - std::min(cycles, cycles_[r])) / ticks_per_second();
    cycles_[r] = cycles;
  }
  return true;
}

lb::Instance RecentLoads::instance(double wall) {
  lb::Instance found;
  for (const trace::WorkerInterval& interval : interval_meters_.next(job_.workers)) {
    found.workers.push_back({.speed = interval.speed, .background_seconds = interval.contended, .place = {}});
  }
  std::vector<double> work(seconds_.size());
  for (std::uint32_t r = 0; r < seconds_.size(); ++r) {
    const Rank& rank = job_.ranks[r];
    // Relaxed: the rank may move right after. What is read of the worker is constant.
    const Worker* const home = rank.worker.load(std::memory_order_relaxed);
    if (home == nullptr || rank.ended.load(std::memory_order_relaxed)) {
      continue;
    }
    work[r] = seconds_[r] / wall;
    found.ranks.push_back({.rank = RankId{r}, .home = home_of(rank, *home), .may_move = rank.migratable});
  }
  history_.add({.work = std::move(work)});
  std::vector<double> predicted = model_->predict(history_);
  for (double& seconds : predicted) {
    seconds *= wall;
  }
  return lb::with_work(std::move(found), predicted);
}

double RecentLoads::seconds_in_ranks() const { return std::accumulate(seconds_.begin(), seconds_.end(), 0.0); }

}  // namespace location
}  // namespace weft::runtime

#include "runtime/location/continuous_balancer.hpp"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "lb/loads.hpp"
#include "runtime/job/job.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/sched/worker.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
namespace {

constexpr double kShortest = 0.02;  // seconds between plans
constexpr double kLongest = 1.0;    // that it waits for ranks that run without a break
// Calls that a rank must have waited in, so that the window holds some of its time steps whole.
constexpr std::uint64_t kFewWaits = 8;
// Of the time between plans, at most so much goes into making them.
constexpr double kPlanning = 0.005;
// A plan that gains less than this is noise.
constexpr double kWorthIt = 0.03;

// TemporaryMoves: windows of each way at first, then how often the other way is tried again, and by how much it must be
// better.
constexpr std::uint32_t kTrials = 2;
constexpr std::uint32_t kBetweenTrials = 16;
constexpr double kBetter = 0.03;

// A rank that is on its way or lent away belongs where it goes.
WorkerId home_of(const Rank& rank, const Worker& here) {
  const std::uint32_t planned = rank.planned.load(std::memory_order_relaxed);
  return planned == Rank::kAnyWorker ? here.id() : WorkerId{planned};
}

std::uint64_t ticks_of(double seconds) { return static_cast<std::uint64_t>(seconds * ticks_per_second()); }

}  // namespace

bool TemporaryMoves::next(double used) {
  double& mean = used_[lends_ ? 1 : 0];
  mean = mean == 0 ? used : (mean + used) / 2;
  ++windows_;
  if (windows_ < 2 * kTrials) {
    lends_ = windows_ < kTrials;
    return lends_;
  }
  const bool better = used_[1] > used_[0] + kBetter;
  lends_ = windows_ % kBetweenTrials == 0 ? !better : better;
  return lends_;
}

ContinuousBalancer::ContinuousBalancer(Job& job)
    : job_(job),
      strategy_(lb::make_strategy("refine-bisect")),
      model_(lb::make_load_model("mean:0.5")),
      due_(ticks() + ticks_of(kShortest)),
      crowded_(job.worker_count() > allowed_cores().size()),
      loads_(model_->depth()),
      planned_at_(ticks()),
      cycles_(job.universe()),
      switches_(job.universe()),
      seconds_(job.universe()) {}

void ContinuousBalancer::order() {
  if (!ordered_.exchange(true, std::memory_order_acq_rel)) {
    job_.main_thread().post([this] { plan(); });
  }
}

void ContinuousBalancer::plan() {
  const std::uint64_t began = ticks();
  const double wall = static_cast<double>(began - planned_at_) / ticks_per_second();
  double next = kShortest;
  if (measure(wall)) {
    const lb::Instance now = instance(wall);
    planned_at_ = began;
    has_planned_.store(true, std::memory_order_relaxed);
    const lb::Plan plan = strategy_->solve(now);
    ++plans_;
    wall_ += wall;
    used_ += std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
    if (lb::longest_seconds(now, plan) < (1 - kWorthIt) * lb::longest_seconds(now, lb::homes_of(now))) {
      ++plans_that_move_;
      announce(now, plan);
    } else {
      lends_.store(next_lends(wall), std::memory_order_relaxed);
    }
    const std::uint64_t end = ticks();
    next = std::max(next, static_cast<double>(end - began) / ticks_per_second() / kPlanning);
  }
  due_.store(ticks() + ticks_of(next), std::memory_order_relaxed);
  ordered_.store(false, std::memory_order_release);
}

bool ContinuousBalancer::measure(double wall) {
  bool enough = true;
  for (std::uint32_t r = 0; r < cycles_.size() && enough; ++r) {
    const Rank& rank = job_.rank(r);
    const bool lives = rank.worker.load(std::memory_order_acquire) != nullptr && !rank.ended;
    enough = !lives || rank.load.switches.load(std::memory_order_relaxed) - switches_[r] >= kFewWaits;
  }
  if (!enough && wall < kLongest) {
    return false;
  }
  for (std::uint32_t r = 0; r < cycles_.size(); ++r) {
    const Load& load = job_.rank(r).load;
    const std::uint64_t cycles = load.cycles.load(std::memory_order_relaxed);
    switches_[r] = load.switches.load(std::memory_order_relaxed);
    seconds_[r] = static_cast<double>(cycles - std::min(cycles, cycles_[r])) / ticks_per_second();
    cycles_[r] = cycles;
  }
  return true;
}

// Of a window that was `wall` seconds long; the next one will be like it.
lb::Instance ContinuousBalancer::instance(double wall) {
  lb::Instance found;
  for (const lb::IntervalLoad& window : windows_.next(job_.workers())) {
    found.workers.push_back({.speed = window.speed, .background_seconds = window.contended, .place = {}});
  }
  std::vector<double> work(seconds_.size());
  for (std::uint32_t r = 0; r < seconds_.size(); ++r) {
    const Rank& rank = job_.rank(r);
    const Worker* const home = rank.worker.load(std::memory_order_acquire);
    if (home == nullptr || rank.ended.load(std::memory_order_relaxed)) {
      continue;
    }
    work[r] = seconds_[r] / wall;
    found.ranks.push_back({.rank = RankId{r}, .home = home_of(rank, *home), .may_move = rank.migratable});
  }
  loads_.add({.work = std::move(work)});
  std::vector<double> predicted = model_->predict(loads_);
  for (double& seconds : predicted) {
    seconds *= wall;
  }
  return lb::with_work(std::move(found), predicted);
}

bool ContinuousBalancer::next_lends(double wall) {
  const double used = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
  return !crowded_ && lending_.next(used / (wall * job_.worker_count()));
}

std::string ContinuousBalancer::summary() const {
  const double time = wall_ * job_.worker_count();
  const std::string used =
      time == 0 ? "" : fmt::format("; {:.0f} % of the workers' time went into ranks", used_ / time * 100);
  return fmt::format(
      "weft: balancing continuously: {} plans, of which {} moved ranks; {} ranks given as planned, {} lent, {} taken "
      "from busy workers{}\n",
      plans_, plans_that_move_, counts_.placed.load(), counts_.lent.load(), counts_.taken.load(), used);
}

// Who sees the rank's end must be the planner, or the one who ends it must see the plan: both exchange `planned`.
std::uint32_t ContinuousBalancer::take(Rank& rank) {
  const std::uint32_t place = rank.planned.exchange(Rank::kAnyWorker, std::memory_order_acq_rel);
  if (place != Rank::kAnyWorker) {
    rank.job.reasons_to_share.fetch_sub(1, std::memory_order_relaxed);
  }
  return place;
}

void ContinuousBalancer::wish(Rank& rank, std::uint32_t worker) {
  rank.job.reasons_to_share.fetch_add(1, std::memory_order_relaxed);
  if (rank.planned.exchange(worker, std::memory_order_acq_rel) != Rank::kAnyWorker) {
    rank.job.reasons_to_share.fetch_sub(1, std::memory_order_relaxed);
  }
}

void ContinuousBalancer::announce(const lb::Instance& now, const lb::Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i] != now.ranks[i].home) {
      Rank& rank = job_.rank(number(now.ranks[i].rank));
      wish(rank, number(plan[i]));
      if (rank.ended.load(std::memory_order_relaxed)) {
        take(rank);
      }
    }
  }
}

}  // namespace weft::runtime

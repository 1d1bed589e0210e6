#include "runtime/location/continuous_balancer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lb/loads.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/meter/ticks.hpp"
#include "runtime/sched/main_thread.hpp"
#include "runtime/topology/cores.hpp"

namespace weft::runtime {
inline namespace location {
namespace {

constexpr double kLeastPlanInterval = 0.02;  // seconds
// The largest part of the time that goes into making plans.
constexpr double kMostPlanningPart = 0.005;
// A plan that shortens the longest worker's time by less than this part is noise.
constexpr double kLeastPlanGain = 0.03;

// TemporaryMoves: intervals for which each way is tried at first; intervals after which the other way is tried again;
// and by how much better temporary moves must be.
constexpr std::uint32_t kTrials = 2;
constexpr std::uint32_t kBetweenTrials = 16;
constexpr double kLeastUtilizationGain = 0.03;

std::uint64_t ticks_of(double seconds) { return static_cast<std::uint64_t>(seconds * ticks_per_second()); }

}  // namespace

bool TemporaryMoves::next(double utilization) {
  double& mean = utilization_[moves_temporarily_ ? 1 : 0];
  mean = mean == 0 ? utilization : (mean + utilization) / 2;
  ++intervals_;
  if (intervals_ < 2 * kTrials) {
    moves_temporarily_ = intervals_ < kTrials;
    return moves_temporarily_;
  }
  const bool better = utilization_[1] > utilization_[0] + kLeastUtilizationGain;
  moves_temporarily_ = intervals_ % kBetweenTrials == 0 ? !better : better;
  return moves_temporarily_;
}

ContinuousBalancer::ContinuousBalancer(const JobContext& job)
    : job_(job),
      strategy_(lb::make_strategy("refine-bisect")),
      due_(ticks() + ticks_of(kLeastPlanInterval)),
      oversubscribed_(job.workers.size() > allowed_cores().size()),
      loads_(job),
      planned_at_(ticks()) {}

// Relaxed, as are all values of the balancer that workers read: none guards other data. MainThread::post() orders the
// task's memory accesses.
void ContinuousBalancer::post_plan() {
  if (!plan_is_under_way_.exchange(true, std::memory_order_relaxed)) {
    job_.main_thread.post([this] { plan(); });
  }
}

void ContinuousBalancer::plan() {
  const std::uint64_t began = ticks();
  const double wall = static_cast<double>(began - planned_at_) / ticks_per_second();
  double next = kLeastPlanInterval;
  if (loads_.measure(wall)) {
    const lb::Instance now = loads_.instance(wall);
    planned_at_ = began;
    has_planned_.store(true, std::memory_order_relaxed);
    const lb::Plan plan = strategy_->solve(now);
    ++plans_;
    wall_ += wall;
    seconds_in_ranks_ += loads_.seconds_in_ranks();
    if (lb::longest_seconds(now, plan) < (1 - kLeastPlanGain) * lb::longest_seconds(now, lb::homes_of(now))) {
      ++plans_that_move_;
      set_targets(now, plan);
    } else {
      moves_temporarily_.store(should_move_temporarily(wall), std::memory_order_relaxed);
    }
    const std::uint64_t end = ticks();
    next = std::max(next, static_cast<double>(end - began) / ticks_per_second() / kMostPlanningPart);
  }
  due_.store(ticks() + ticks_of(next), std::memory_order_relaxed);
  plan_is_under_way_.store(false, std::memory_order_relaxed);
}

bool ContinuousBalancer::should_move_temporarily(double wall) {
  return !oversubscribed_ &&
         temporary_moves_.next(loads_.seconds_in_ranks() / (wall * static_cast<double>(job_.workers.size())));
}

std::string ContinuousBalancer::summary() const {
  const double time = wall_ * static_cast<double>(job_.workers.size());
  const std::string used =
      time == 0 ? "" : fmt::format("; {:.0f} % of the workers' time went into ranks", seconds_in_ranks_ / time * 100);
  return fmt::format(
      "weft: balancing continuously: {} plans, of which {} moved ranks; {} ranks moved as planned, {} moved "
      "temporarily, {} stolen from busy workers{}\n",
      plans_, plans_that_move_, counts_.planned_moves.load(), counts_.temporary_moves.load(), counts_.steals.load(),
      used);
}

std::uint32_t ContinuousBalancer::take_target(Rank& rank) {
  // Acquire, release: pairs with set_target(), see set_targets().
  const std::uint32_t target = rank.target_worker.exchange(Rank::kAnyWorker, std::memory_order_acq_rel);
  if (target != Rank::kAnyWorker) {
    remove_move_request();
  }
  return target;
}

void ContinuousBalancer::set_target(Rank& rank, std::uint32_t worker) {
  add_move_request();
  // Acquire, release: pairs with take_target(), see set_targets().
  if (rank.target_worker.exchange(worker, std::memory_order_acq_rel) != Rank::kAnyWorker) {
    remove_move_request();
  }
}

// A rank that ends sets Rank::ended first and takes its target then. Of the exchanges of `target_worker` there and here
// the later one sees what preceded the earlier one: either the rank takes its new target, or this sees that it has
// ended and takes the target back.
void ContinuousBalancer::set_targets(const lb::Instance& now, const lb::Plan& plan) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    if (plan[i] != now.ranks[i].home) {
      Rank& rank = job_.ranks[number(now.ranks[i].rank)];
      set_target(rank, number(plan[i]));
      if (rank.ended.load(std::memory_order_relaxed)) {
        take_target(rank);
      }
    }
  }
}

}  // namespace location
}  // namespace weft::runtime

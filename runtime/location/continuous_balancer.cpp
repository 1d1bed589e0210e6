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

constexpr double kShortest = 0.02;  // seconds between plans
// Of the time between plans, at most so much goes into making them.
constexpr double kPlanning = 0.005;
// A plan that gains less than this is noise.
constexpr double kWorthIt = 0.03;

// TemporaryMoves: intervals of each way at first, then how often the other way is tried again, and by how much it must
// be better.
constexpr std::uint32_t kTrials = 2;
constexpr std::uint32_t kBetweenTrials = 16;
constexpr double kBetter = 0.03;

std::uint64_t ticks_of(double seconds) { return static_cast<std::uint64_t>(seconds * ticks_per_second()); }

}  // namespace

bool TemporaryMoves::next(double used) {
  double& mean = used_[moves_temporarily_ ? 1 : 0];
  mean = mean == 0 ? used : (mean + used) / 2;
  ++intervals_;
  if (intervals_ < 2 * kTrials) {
    moves_temporarily_ = intervals_ < kTrials;
    return moves_temporarily_;
  }
  const bool better = used_[1] > used_[0] + kBetter;
  moves_temporarily_ = intervals_ % kBetweenTrials == 0 ? !better : better;
  return moves_temporarily_;
}

ContinuousBalancer::ContinuousBalancer(const JobContext& job)
    : job_(job),
      strategy_(lb::make_strategy("refine-bisect")),
      due_(ticks() + ticks_of(kShortest)),
      crowded_(job.workers.size() > allowed_cores().size()),
      loads_(job),
      planned_at_(ticks()) {}

// Relaxed, as all that workers read of the balancer: each value stands for itself. post() hands the task over.
void ContinuousBalancer::order() {
  if (!ordered_.exchange(true, std::memory_order_relaxed)) {
    job_.main_thread.post([this] { plan(); });
  }
}

void ContinuousBalancer::plan() {
  const std::uint64_t began = ticks();
  const double wall = static_cast<double>(began - planned_at_) / ticks_per_second();
  double next = kShortest;
  if (loads_.measure(wall)) {
    const lb::Instance now = loads_.instance(wall);
    planned_at_ = began;
    has_planned_.store(true, std::memory_order_relaxed);
    const lb::Plan plan = strategy_->solve(now);
    ++plans_;
    wall_ += wall;
    used_ += loads_.seconds_in_ranks();
    if (lb::longest_seconds(now, plan) < (1 - kWorthIt) * lb::longest_seconds(now, lb::homes_of(now))) {
      ++plans_that_move_;
      announce(now, plan);
    } else {
      moves_temporarily_.store(next_moves_temporarily(wall), std::memory_order_relaxed);
    }
    const std::uint64_t end = ticks();
    next = std::max(next, static_cast<double>(end - began) / ticks_per_second() / kPlanning);
  }
  due_.store(ticks() + ticks_of(next), std::memory_order_relaxed);
  ordered_.store(false, std::memory_order_relaxed);
}

bool ContinuousBalancer::next_moves_temporarily(double wall) {
  return !crowded_ &&
         temporary_moves_.next(loads_.seconds_in_ranks() / (wall * static_cast<double>(job_.workers.size())));
}

std::string ContinuousBalancer::summary() const {
  const double time = wall_ * static_cast<double>(job_.workers.size());
  const std::string used =
      time == 0 ? "" : fmt::format("; {:.0f} % of the workers' time went into ranks", used_ / time * 100);
  return fmt::format(
      "weft: balancing continuously: {} plans, of which {} moved ranks; {} ranks moved as planned, {} moved "
      "temporarily, {} stolen from busy workers{}\n",
      plans_, plans_that_move_, counts_.placed.load(), counts_.temporary.load(), counts_.stolen.load(), used);
}

std::uint32_t ContinuousBalancer::take_target(Rank& rank) {
  // Acquire, release: pairs with set_target(), see announce().
  const std::uint32_t target = rank.planned.exchange(Rank::kAnyWorker, std::memory_order_acq_rel);
  if (target != Rank::kAnyWorker) {
    remove_reason_to_share();
  }
  return target;
}

void ContinuousBalancer::set_target(Rank& rank, std::uint32_t worker) {
  add_reason_to_share();
  // Acquire, release: pairs with take_target(), see announce().
  if (rank.planned.exchange(worker, std::memory_order_acq_rel) != Rank::kAnyWorker) {
    remove_reason_to_share();
  }
}

// A rank that ends says so first and takes its target then. Of both exchanges of `planned` the later one sees what came
// before the other: either the rank takes the target with it, or its end is seen here.
void ContinuousBalancer::announce(const lb::Instance& now, const lb::Plan& plan) {
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

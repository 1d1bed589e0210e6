#include "runtime/lbstep/balancer.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "base/say.hpp"
#include "lb/links.hpp"
#include "lb/loads.hpp"
#include "runtime/report/page.hpp"
#include "runtime/report/summary.hpp"

namespace weft::runtime {
inline namespace lbstep {

std::string rule_of(const JobConfig& config) {
  return config.lb_when == "every" ? fmt::format("every:{}", config.lb_period) : config.lb_when;
}

namespace {

// The most homes of ranks that a report may hold, over all steps: some megabytes of page.
constexpr std::size_t kMostHomes = std::size_t{1} << 21;

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

lb::DeciderOptions decider_options(const JobConfig& config) {
  const bool are_given = config.lb_links != "measured" && config.lb_links != "usual";
  return {.strategy = config.lb,
          .when = rule_of(config),
          .model = config.lb_model,
          .links = are_given ? lb::parse_links(config.lb_links) : lb::kDefaultLinks,
          .packs_every_move = config.repack};
}

// Represents all ranks of each worker by one.
lb::Instance by_worker(const StepSums& sums) {
  lb::Instance measured;
  measured.workers.resize(sums.workers.size());
  for (const WorkerSums& worker : sums.workers) {
    measured.workers[worker.worker] = {
        .speed = worker.interval.speed, .background_seconds = worker.interval.contended, .place = worker.place};
    if (worker.ranks > 0) {
      measured.ranks.push_back({.rank = RankId{static_cast<std::uint32_t>(measured.ranks.size())},
                                .home = WorkerId{worker.worker},
                                .seconds = worker.work / worker.interval.speed});
    }
  }
  return measured;
}

// Seconds of the most loaded worker if all ranks were at their first homes.
double unmoved_seconds(const StepSums& sums, std::span<const lb::WorkerLoad> workers) {
  double longest = 0;
  for (const WorkerWork& first : sums.at_first_homes) {
    const lb::WorkerLoad& worker = workers[first.worker];
    longest = std::max(longest, first.work / worker.speed + worker.background_seconds);
  }
  return longest;
}

// The outcome if all ranks stay, whatever they want.
PlanOutcome unmoved(const StepSums& sums) {
  PlanOutcome outcome;
  for (const WorkerSums& worker : sums.workers) {
    outcome.work.push_back({worker.worker, worker.work});
  }
  return outcome;
}

// By rank; ranks that no process has reported are left out.
lb::Plan homes_after(const StepSums& sums, const PlanOutcome& outcome) {
  lb::Plan homes(sums.homes.size());
  for (const auto* const places : {&sums.homes, &outcome.announced_moves, &outcome.local_moves}) {
    for (const NewHome& place : *places) {
      homes.resize(std::max<std::size_t>(homes.size(), place.rank + 1));
      homes[place.rank] = WorkerId{place.worker};
    }
  }
  return homes;
}

}  // namespace

Balancer::Balancer(const JobConfig& config, LoadClock clock)
    : config_(config),
      load_clock_(std::move(clock)),
      decider_(decider_options(config)),
      links_known_(config.lb_links != "measured" || !decider_.strategy().wants_edges()),
      began_(seconds_now()) {
  if (config.lb != "none") {
    energy_.emplace();
  }
}

void Balancer::set_links(const lb::Links& links) {
  decider_.set_links(links);
  links_known_ = true;
}

lb::Decision Balancer::decide(lb::Observation observation, bool may_move) {
  if (first_homes_.empty()) {
    first_homes_ = lb::homes_of(observation.measured);
  }
  report::StepRecord step = begin_report(observation.measured, observation.intervals);
  step.unmoved = lb::longest_seconds(observation.measured, first_homes_);
  workers_ = observation.measured.workers;
  decider_.observe(std::move(observation));
  lb::Decision decision = may_move ? decider_.decide() : decider_.keep_homes();
  held_steps_ += may_move ? 0 : 1;
  step.predicted_gain = decision.predicted_gain;
  step.moves = decision.moves.ranks;
  step.bytes = decision.moves.bytes;
  step.crossings = decision.crossings;
  const std::vector<double> planned = lb::worker_seconds(decider_.predicted(), decision.homes);
  for (std::size_t w = 0; w < planned.size(); ++w) {
    step.workers[w].planned = planned[w] - workers_[w].background_seconds;
  }
  keep_homes(step, decision.homes);
  end_report(std::move(step));
  return decision;
}

lb::MoveScope Balancer::choose(const StepSums& sums, bool may_move) {
  const lb::Instance measured = by_worker(sums);
  workers_ = measured.workers;
  std::vector<trace::WorkerInterval> intervals(sums.workers.size());
  for (const WorkerSums& worker : sums.workers) {
    intervals[worker.worker] = worker.interval;
  }
  report::StepRecord step = begin_report(measured, intervals);
  step.unmoved = unmoved_seconds(sums, workers_);
  std::array<lb::DistributedPlan, lb::kMoveScopes> plans;
  std::ranges::transform(sums.outcomes, plans.begin(), [](const PlanOutcome& outcome) {
    return lb::DistributedPlan{.longest = outcome.longest,
                               .planned = {outcome.planned_moves, outcome.planned_bytes},
                               .carried_out = {outcome.moves, outcome.bytes}};
  });
  decider_.observe_distributed(sums.call, measured);
  lb::Decider::DistributedDecision decision;
  if (may_move) {
    decision = decider_.choose(plans);
  } else {
    decider_.keep_homes();
    ++held_steps_;
  }
  const PlanOutcome& outcome = may_move ? sums.outcomes[static_cast<std::size_t>(decision.scope)] : unmoved(sums);
  step.predicted_gain = decision.predicted_gain;
  step.moves = outcome.moves;
  step.bytes = outcome.bytes;
  step.crossings = outcome.crossings;
  for (const WorkerWork& sum : outcome.work) {
    step.workers[sum.worker].planned = sum.work / workers_[sum.worker].speed;
  }
  keep_homes(step, homes_after(sums, outcome));
  end_report(std::move(step));
  return decision.scope;
}

report::StepRecord Balancer::begin_report(const lb::Instance& measured,
                                          std::span<const trace::WorkerInterval> intervals) const {
  report::StepRecord step;
  const std::vector<double> loads = lb::worker_seconds(measured, lb::homes_of(measured));
  for (std::size_t w = 0; w < loads.size(); ++w) {
    const double contended = measured.workers[w].background_seconds;
    step.interval = std::max(step.interval, intervals[w].wall);
    step.workers.push_back(
        {.load = loads[w] - contended, .contended = contended, .background = intervals[w].background, .planned = 0});
  }
  return step;
}

void Balancer::keep_homes(report::StepRecord& step, const lb::Plan& homes) {
  if (!config_.lb_report.empty() && (step.moves > 0 || history_.steps().empty()) &&
      homes_kept_ + homes.size() <= kMostHomes) {
    homes_kept_ += homes.size();
    for (const WorkerId home : homes) {
      step.homes.push_back(number(home));
    }
  }
}

void Balancer::end_report(report::StepRecord step) {
  step.at = seconds_now() - began_;
  ++steps_;
  last_moves_ = step.moves;
  last_imbalance_ = step.imbalance();
  history_.add(std::move(step));
}

void Balancer::add_prediction(double left, double spread) {
  history_.add(report::FinishPrediction{.at = seconds_now() - began_, .left = left, .spread = spread});
}

void Balancer::record_cost(double seconds) {
  decider_.record_cost(seconds);
  history_.finish_last(seconds);
}

report::JobInfo Balancer::described() {
  report::JobInfo job;
  job.strategy = config_.lb;
  job.when = rule_of(config_);
  job.calls = config_.lb_calls;
  job.stopped_by = stopped_by_;
  job.held_steps = held_steps_;
  job.pinned = pinned_;
  job.ranks = config_.ranks;
  job.load_clock = load_clock_.text;
  job.counter = load_clock_.event;
  job.links = decider_.strategy().wants_edges() ? lb::text_of(decider_.links()) : "";
  for (const lb::WorkerLoad& worker : workers_) {
    job.process_of.push_back(worker.place.process);
    job.host_of.push_back(worker.place.host);
  }
  if (energy_) {
    job.joules = energy_->joules();
    job.joules_from = energy_->source();
  }
  return job;
}

std::string Balancer::table() { return report::summary_table(described(), history_); }

void Balancer::print_summary() {
  const report::JobInfo job = described();
  const std::string summary = config_.lb == "none" ? "none" : config_.lb_summary;
  if (summary == "table") {
    std::fputs(report::summary_table(job, history_).c_str(), stderr);
  } else if (summary == "line") {
    std::fputs(report::summary_line(job, history_).c_str(), stderr);
  }
  if (config_.lb_report.empty()) {
    return;
  }
  std::ofstream file(config_.lb_report);
  file << report::report_page(job, history_);
  file.close();
  if (!file) {
    base::say(fmt::format("weft: cannot write the report {}: {}\n", config_.lb_report, std::strerror(errno)));
  }
}

}  // namespace lbstep
}  // namespace weft::runtime

#include "runtime/lbstep/balancer.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "lb/links.hpp"
#include "lb/loads.hpp"
#include "runtime/report/page.hpp"
#include "runtime/report/summary.hpp"

namespace weft::runtime {
namespace {

// Homes of ranks that a report may hold, all steps together: some megabytes of page.
constexpr std::size_t kMostHomes = std::size_t{1} << 21;

std::string rule_of(const JobConfig& config) {
  return config.lb_when == "every" ? fmt::format("every:{}", config.lb_period) : config.lb_when;
}

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

Balancer::Clock::Clock() : began(seconds_now()) {}
double Balancer::Clock::seconds() const { return seconds_now() - began; }

Balancer::Balancer(const JobConfig& config, LoadClock clock)
    : config_(config),
      load_clock_(std::move(clock)),
      strategy_(lb::make_strategy(config.lb)),
      when_(lb::make_when(rule_of(config))),
      model_(lb::make_load_model(config.lb_model)),
      loads_(model_->depth()) {
  if (config.lb_links == "measured") {
    links_known_ = !strategy_->wants_edges();
  } else if (config.lb_links != "usual") {
    links_ = lb::parse_links(config.lb_links);
  }
  if (config.lb != "none") {
    energy_.emplace();
  }
}

lb::Plan Balancer::plan(std::uint64_t call, const lb::Instance& measured, std::span<const IntervalLoad> intervals,
                        std::span<const lb::Superstep> supersteps) {
  const std::uint64_t calls = call - std::min(call, last_call_);
  when_->observe(call, measured, lb::superstep_seconds(measured, supersteps, calls));
  patterns_ = lb::after_supersteps(std::move(patterns_), measured, supersteps, calls);
  instance_ = predicted(call, measured);
  instance_.patterns = patterns_;
  instance_.links = links_;
  instance_.seconds_per_move = move_cost_.per_move();
  instance_.seconds_per_moved_byte = move_cost_.per_byte();
  lb::Plan homes = strategy_->solve(instance_);
  const lb::Verdict verdict = when_->judge(lb::outlook_of(instance_, homes));
  if (!verdict.move) {
    homes = lb::homes_of(instance_);
  }
  step_ = {};
  step_.predicted_gain = verdict.move ? verdict.gain : 0.0;
  if (first_homes_.empty()) {
    first_homes_ = lb::homes_of(measured);
  }
  record(measured, intervals, lb::longest_seconds(measured, first_homes_));
  return homes;
}

void Balancer::set_links(const lb::Links& links) {
  links_ = links;
  links_known_ = true;
}

lb::Instance Balancer::costs() const {
  lb::Instance costs;
  costs.links = links_;
  costs.seconds_per_move = move_cost_.per_move();
  costs.seconds_per_moved_byte = move_cost_.per_byte();
  return costs;
}

// As lb::Hierarchical::solve() chooses between its plans.
Choice Balancer::choose(std::uint64_t call, const Found& found) {
  // Each worker's ranks as one.
  lb::Instance measured;
  measured.workers.resize(found.workers.size());
  std::vector<IntervalLoad> intervals(found.workers.size());
  for (const WorkerFound& worker : found.workers) {
    intervals[worker.worker] = worker.interval;
    measured.workers[worker.worker] = {
        .speed = worker.interval.speed, .background_seconds = worker.interval.contended, .place = worker.place};
    if (worker.ranks > 0) {
      measured.ranks.push_back({.rank = RankId{static_cast<std::uint32_t>(measured.ranks.size())},
                                .home = WorkerId{worker.worker},
                                .seconds = worker.work / worker.interval.speed});
    }
  }
  when_->observe(call, measured, {});
  instance_ = std::move(measured);
  const std::vector<Outcome>& outcomes = found.outcomes;
  const double before = outcomes[static_cast<std::size_t>(Choice::stay)].longest;
  Choice choice = Choice::stay;
  for (const Choice other : {Choice::within_processes, Choice::anywhere}) {
    choice = outcomes[static_cast<std::size_t>(other)].longest < before ? other : choice;
  }
  const Outcome& plan = outcomes[static_cast<std::size_t>(choice)];
  const lb::Verdict verdict =
      when_->judge({.before = before, .after = plan.longest, .moves = {plan.planned_moves, plan.planned_bytes}});
  step_ = {};
  step_.predicted_gain = verdict.move ? verdict.gain : 0.0;
  double unmoved = 0;
  for (const WorkerWork& first : found.at_first_homes) {
    const lb::WorkerLoad& worker = instance_.workers[first.worker];
    unmoved = std::max(unmoved, first.work / worker.speed + worker.background_seconds);
  }
  record(instance_, intervals, unmoved);
  return verdict.move ? choice : Choice::stay;
}

// Loads of an interval as long as the last, as the model sees them.
lb::Instance Balancer::predicted(std::uint64_t call, const lb::Instance& measured) {
  const double calls = static_cast<double>(call > last_call_ ? call - last_call_ : 1);
  last_call_ = call;
  std::vector<double> work = lb::measured_work(measured);
  for (double& seconds : work) {
    seconds /= calls;
  }
  loads_.add({.work = std::move(work)});
  std::vector<double> next = model_->predict(loads_);
  for (double& seconds : next) {
    seconds *= calls;
  }
  return lb::with_work(measured, next);
}

void Balancer::record(const lb::Instance& measured, std::span<const IntervalLoad> intervals, double unmoved) {
  step_.at = clock_.seconds();
  step_.unmoved = unmoved;
  const std::vector<double> loads = lb::worker_seconds(measured, lb::homes_of(measured));
  for (std::size_t w = 0; w < loads.size(); ++w) {
    const double contended = measured.workers[w].background_seconds;
    step_.window = std::max(step_.window, intervals[w].wall);
    step_.workers.push_back(
        {.load = loads[w] - contended, .contended = contended, .background = intervals[w].background, .planned = 0});
  }
}

void Balancer::moves(const lb::Plan& homes) {
  const lb::Moves moves = lb::moves_of(instance_, homes);
  cost_ = {.moves = moves.ranks, .bytes = moves.bytes};
  step_.moves = moves.ranks;
  step_.bytes = moves.bytes;
  const std::vector<double> loads = lb::worker_seconds(instance_, homes);
  for (std::size_t w = 0; w < loads.size(); ++w) {
    step_.workers[w].planned = loads[w] - instance_.workers[w].background_seconds;
  }
  for (const lb::RankLoad& rank : instance_.ranks) {
    const auto place = [&](WorkerId worker) { return instance_.workers[number(worker)].place.process; };
    step_.crossings += place(rank.home) != place(homes[number(rank.rank)]) ? 1 : 0;
  }
  keep_homes(homes);
  end_step();
}

void Balancer::moves(const Found& found, Choice choice) {
  const Outcome& outcome = found.outcomes[static_cast<std::size_t>(choice)];
  cost_ = {.moves = outcome.moves, .bytes = outcome.bytes};
  step_.moves = outcome.moves;
  step_.bytes = outcome.bytes;
  step_.crossings = outcome.crossings;
  for (const WorkerWork& sum : outcome.work) {
    step_.workers[sum.worker].planned = sum.work / instance_.workers[sum.worker].speed;
  }
  lb::Plan homes(found.homes.size());
  for (const auto* const places : {&found.homes, &outcome.told, &outcome.quiet}) {
    for (const NewHome& place : *places) {
      homes.resize(std::max<std::size_t>(homes.size(), place.rank + 1));
      homes[place.rank] = WorkerId{place.worker};
    }
  }
  keep_homes(homes);
  end_step();
}

void Balancer::keep_homes(const lb::Plan& homes) {
  if (!config_.lb_report.empty() && (step_.moves > 0 || history_.steps().empty()) &&
      homes_kept_ + homes.size() <= kMostHomes) {
    homes_kept_ += homes.size();
    for (const WorkerId home : homes) {
      step_.homes.push_back(number(home));
    }
  }
}

void Balancer::end_step() {
  brief_ = {.number = brief_.number + 1, .moves = step_.moves, .imbalance = step_.imbalance()};
  history_.add(std::move(step_));
}

void Balancer::paid(double seconds) {
  cost_.seconds = seconds;
  when_->paid(cost_);
  move_cost_.learn(cost_);
  history_.finish_last(seconds);
}

report::Job Balancer::described() {
  report::Job job;
  job.strategy = config_.lb;
  job.when = rule_of(config_);
  job.ranks = config_.ranks;
  job.load_clock = load_clock_.text;
  job.counter = load_clock_.event;
  job.links = wants_edges() ? lb::text_of(links_) : "";
  for (const lb::WorkerLoad& worker : instance_.workers) {
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

void Balancer::tell() {
  const report::Job job = described();
  if (config_.lb_summary == "table") {
    std::fputs(report::summary_table(job, history_).c_str(), stderr);
  } else if (config_.lb_summary == "line") {
    std::fputs(report::summary_line(job, history_).c_str(), stderr);
  }
  if (config_.lb_report.empty()) {
    return;
  }
  std::ofstream file(config_.lb_report);
  file << report::report_page(job, history_);
  file.close();
  if (!file) {
    std::fputs(fmt::format("weft: cannot write the report {}: {}\n", config_.lb_report, std::strerror(errno)).c_str(),
               stderr);
  }
}

}  // namespace weft::runtime

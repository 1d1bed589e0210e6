#include "lb/when.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

#include "lb/loads.hpp"
#include "lb/parse.hpp"

namespace weft::lb {

PlanEffect effect_of(const Instance& predicted, const Plan& plan) {
  return {.before = longest_seconds(predicted, homes_of(predicted)),
          .after = longest_seconds(predicted, plan),
          .moves = moves_of(predicted, plan)};
}

void EveryKth::observe(std::uint64_t call, const Instance&, std::span<const std::vector<double>>) { next_ = call + k_; }

Evaluation EveryKth::evaluate(const PlanEffect& effect) {
  return {.move = true, .gain = effect.before - effect.after, .cost = 0.0};
}

void AutoWhen::observe(std::uint64_t call, const Instance& measured, std::span<const std::vector<double>>) {
  constexpr double kNews = 0.5;        // weight of the last step's outcome in the trust
  constexpr double kForgiving = 0.02;  // recovery of the trust in each step without moves
  constexpr double kLeastTrust = 0.05;
  calls_ = std::max<std::uint64_t>(1, call - last_call_);
  last_call_ = call;
  seconds_per_call_ = longest_seconds(measured, homes_of(measured)) / static_cast<double>(calls_);
  if (expected_before_ > 0.0) {
    const double part = (expected_before_ - seconds_per_call_) / (expected_before_ - expected_after_);
    trust_ = std::max(kLeastTrust, (1.0 - kNews) * trust_ + kNews * std::clamp(part, 0.0, 1.0));
    expected_before_ = 0.0;
  } else {
    trust_ += kForgiving * (1.0 - trust_);
  }
}

Evaluation AutoWhen::evaluate(const PlanEffect& effect) {
  const double calls = static_cast<double>(calls_);
  const double before = effect.before / calls;
  const double after = effect.after / calls;
  const Moves& moves = effect.moves;
  Evaluation evaluation;
  evaluation.gain = trust_ * (before - after) * static_cast<double>(interval_);
  evaluation.cost = cost_.seconds(moves.ranks, moves.bytes);
  const bool noticeable = moves.ranks > 0 && trust_ * (before - after) > options_.least_gain * before;
  calm_steps_ = noticeable ? 0 : calm_steps_ + 1;
  evaluation.move = noticeable && evaluation.gain + missed_ > evaluation.cost;
  if (!noticeable || evaluation.move) {
    missed_ = 0.0;
  } else {
    missed_ += evaluation.gain;
  }
  if (evaluation.move) {
    expected_before_ = before;
    expected_after_ = after;
  }
  return evaluation;
}

void AutoWhen::record_cost(const StepCost& step) {
  cost_.learn(step);
  const double budget = options_.overhead * seconds_per_call_;
  const double wanted = budget > 0.0 ? std::ceil(cost_.step() / budget) : 1.0;
  const std::uint64_t calm = std::clamp<std::uint64_t>(calm_steps_, 1, options_.calm_interval);
  interval_ = static_cast<std::uint64_t>(
      std::clamp(wanted, static_cast<double>(calm), static_cast<double>(options_.longest_interval)));
}

MigbspWhen::MigbspWhen(const MigbspOptions& options)
    : options_(options), alpha_(options.alpha), next_alpha_(options.alpha), distance_(options.distance) {}

void MigbspWhen::observe(std::uint64_t call, const Instance& measured,
                         std::span<const std::vector<double>> supersteps) {
  if (supersteps.empty()) {  // counts all calls of the interval as equal to their mean
    const std::vector<double> seconds = worker_seconds(measured, homes_of(measured));
    for (std::uint64_t t = last_call_; t < call; ++t) {
      superstep(seconds);
    }
  }
  for (const std::vector<double>& seconds : supersteps) {
    superstep(seconds);
  }
  alpha_ = next_alpha_;  // Algorithm 3, line 9
  last_call_ = call;
}

void MigbspWhen::superstep(std::span<const double> seconds) {
  if (seconds.empty()) {
    return;
  }
  const double average = std::accumulate(seconds.begin(), seconds.end(), 0.0) / static_cast<double>(seconds.size());
  const auto [fastest, slowest] = std::minmax_element(seconds.begin(), seconds.end());
  // Inequalities 4.1 and 4.2; equal workers are stable for any D.
  const bool stable =
      *slowest <= *fastest || (*slowest < average * (1.0 + distance_) && *fastest > average * (1.0 - distance_));
  if (stable) {
    ++next_alpha_;
  } else if (next_alpha_ > options_.alpha) {
    --next_alpha_;
  }
}

Evaluation MigbspWhen::evaluate(const PlanEffect& effect) {
  rescheduled(effect.moves.ranks > 0);
  return {.move = true, .gain = effect.before - effect.after, .cost = 0.0};
}

void MigbspWhen::rescheduled(bool migrated) {
  idle_steps_ = migrated ? 0 : idle_steps_ + 1;
  if (idle_steps_ >= options_.omega) {
    if (distance_ + distance_ / 2.0 < 1.0) {
      distance_ += distance_ / 2.0;
    }
  } else if (distance_ > options_.distance && idle_steps_ == 0) {
    distance_ -= distance_ / 2.0;
  }
}

namespace {

std::unique_ptr<When> make_every(std::string_view argument) {
  return std::make_unique<EveryKth>(parse_count("every", argument, 1, {1, 1'000'000'000}));
}

std::unique_ptr<When> make_auto(std::string_view argument) {
  AutoOptions options;
  options.least_gain = parse_number("auto", argument, options.least_gain, {0.0, 1.0});
  return std::make_unique<AutoWhen>(options);
}

std::unique_ptr<When> make_migbsp(std::string_view argument) {
  MigbspOptions options;
  options.alpha = parse_count("migbsp", argument, options.alpha, {1, 1'000'000});
  return std::make_unique<MigbspWhen>(options);
}

constexpr std::array kRules = {
    WhenInfo{"every", "K", "At every K-th MPI_Migrate (1).", make_every},
    WhenInfo{"auto", "GAIN",
             "When the predicted gain beats what such moves have cost; never for less than GAIN (0.01) of an interval.",
             make_auto},
    WhenInfo{"migbsp", "ALPHA",
             "MigBSP's interval: from ALPHA (4) calls on, longer while workers are in balance or no move pays.",
             make_migbsp},
};

}  // namespace

std::span<const WhenInfo> when_rules() { return kRules; }

std::unique_ptr<When> make_when(std::string_view text) {
  const NameAndArgument parsed = split_argument(text);
  return find_row(std::span<const WhenInfo>(kRules), "rule of when to balance", parsed).make(parsed.argument);
}

std::uint64_t period_of(std::string_view text) {
  const NameAndArgument parsed = split_argument(text);
  std::uint64_t period = parsed.name == "every" ? 1 : 0;
  if (period != 0) {
    std::from_chars(parsed.argument.data(), parsed.argument.data() + parsed.argument.size(), period);
  }
  return period;
}

}  // namespace weft::lb

#include "predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "predict/pareto.hpp"

namespace weft::predict {
namespace {

constexpr double kSecondsPerHour = 3600.0;

std::set<std::uint32_t> instances_of(const Machine& machine) {
  std::set<std::uint32_t> counts{machine.most_instances};
  for (std::uint64_t count = 1; count < machine.most_instances; count *= 2) {
    counts.insert(static_cast<std::uint32_t>(count));
  }
  return counts;
}

// Numbers of ranks for `cores`: at the wanted ratios, or the program's possible numbers between the least and the
// largest of these.
std::set<std::uint32_t> ranks_for(std::uint32_t cores, const PredictionOptions& options) {
  std::set<std::uint32_t> numbers;
  for (const std::uint32_t ratio : options.ratios) {
    numbers.insert(ratio * cores);
  }
  if (options.ranks.empty()) {
    return numbers;
  }
  std::set<std::uint32_t> possible;
  for (const std::uint32_t ranks : options.ranks) {
    if (ranks >= *numbers.begin() && ranks <= *numbers.rbegin()) {
      possible.insert(ranks);
    }
  }
  return possible;
}

// The validation whose errors say most about predictions for this machine.
const Validation& validation_for(const Machine& machine, const FittedModel& model,
                                 const std::vector<Observation>& observations) {
  const bool has_profile =
      std::ranges::any_of(observations, [&](const Observation& run) { return run.where.machine.name == machine.name; });
  return has_profile || !model.machines_left_out ? model.validation : *model.machines_left_out;
}

// The choice with the fastest number of ranks; none if the model has no answer. `worst_log`: of its interval.
std::optional<Choice> choice_of(Configuration where, const FittedModel& model, double worst_log,
                                const PredictionOptions& options) {
  std::optional<Choice> best;
  for (const std::uint32_t ranks : ranks_for(where.cores(), options)) {
    where.ranks = ranks;
    const double time = model.predictor->time(where);
    if (std::isfinite(time) && time > 0.0 && (!best || time < best->time)) {
      best = Choice{.where = where, .time = time, .times_of = {}};
    }
  }
  if (best) {
    const double factor = std::exp(worst_log);
    best->low = best->time / factor;
    best->high = best->time * factor;
    best->cost = best->time / kSecondsPerHour * where.instances * where.machine.price_per_hour;
  }
  return best;
}

void mark_front(std::vector<Choice>& choices) {
  std::vector<Point> points;
  for (const Choice& choice : choices) {
    points.push_back({.time = choice.time, .cost = choice.cost});
  }
  const std::vector<std::size_t> front = pareto_front(points);
  for (const std::size_t i : front) {
    choices[i].on_front = true;
  }
  choices[knee_of(points, front)].is_knee = true;
}

// The index of the first model with the least error.
std::size_t least_error_model(const std::vector<FittedModel>& models) {
  const auto error = [](const FittedModel& model) {
    return std::isnan(model.error()) ? std::numeric_limits<double>::infinity() : model.error();
  };
  return static_cast<std::size_t>(std::ranges::min_element(models, {}, error) - models.begin());
}

FittedModel fitted_model(const PredictorKind& kind, std::span<const Observation> observations) {
  FittedModel model{.kind = kind,
                    .predictor = kind.fit(observations),
                    .validation = leave_one_out(kind, observations, LeaveOut::size),
                    .machines_left_out = {}};
  if (can_leave_out(LeaveOut::machine, observations)) {
    model.machines_left_out = leave_one_out(kind, observations, LeaveOut::machine);
  }
  return model;
}

}  // namespace

double FittedModel::error() const {
  return machines_left_out ? (validation.mape + machines_left_out->mape) / 2.0 : validation.mape;
}

Prediction predict(std::vector<Observation> observations, const Catalogue& catalogue,
                   const PredictionOptions& options) {
  check_observations(observations);
  Prediction prediction{.observations = std::move(observations), .currency = catalogue.currency};
  std::vector<PredictorKind> kinds = predictors();
  kinds.insert(kinds.end(), options.more.begin(), options.more.end());
  if (options.model != kLeastError) {
    prediction.model = index_of(options.model, kinds);
  }
  for (const PredictorKind& kind : kinds) {
    prediction.models.push_back(fitted_model(kind, prediction.observations));
  }
  if (options.model == kLeastError) {
    prediction.model = least_error_model(prediction.models);
  }
  const FittedModel& deciding = prediction.models[prediction.model];
  for (const Machine& machine : catalogue.machines) {
    const double worst_log = validation_for(machine, deciding, prediction.observations).worst_log;
    for (const std::uint32_t instances : instances_of(machine)) {
      std::optional<Choice> choice =
          choice_of({.machine = machine, .instances = instances}, deciding, worst_log, options);
      if (!choice) {
        continue;
      }
      for (const FittedModel& model : prediction.models) {
        choice->times_of.push_back(model.predictor->time(choice->where));
      }
      prediction.choices.push_back(std::move(*choice));
    }
  }
  if (prediction.choices.empty()) {
    throw PredictError(fmt::format("the model {} has no time for any machine of the catalogue with {} ranks a core{}",
                                   deciding.kind.name, fmt::join(options.ratios, ", "),
                                   options.ranks.empty() ? "" : " and the numbers of ranks that --ranks allows"));
  }
  std::ranges::stable_sort(prediction.choices, {}, &Choice::time);
  mark_front(prediction.choices);
  return prediction;
}

}  // namespace weft::predict

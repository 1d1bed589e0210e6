#include "predict/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
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

// The choice with the fastest number of ranks; none if the model has no answer.
std::optional<Choice> choice_of(Configuration where, const FittedModel& model, const PredictionOptions& options) {
  std::optional<Choice> best;
  for (const std::uint32_t ranks : ranks_for(where.cores(), options)) {
    where.ranks = ranks;
    const double time = model.predictor->time(where);
    if (std::isfinite(time) && time > 0.0 && (!best || time < best->time)) {
      best = Choice{.where = where, .time = time, .times_of = {}};
    }
  }
  if (best) {
    const double factor = std::exp(model.validation.worst_log);
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
    const double mape = model.validation.mape;
    return std::isnan(mape) ? std::numeric_limits<double>::infinity() : mape;
  };
  return static_cast<std::size_t>(std::ranges::min_element(models, {}, error) - models.begin());
}

}  // namespace

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
    prediction.models.push_back({.kind = kind,
                                 .predictor = kind.fit(prediction.observations),
                                 .validation = leave_one_out(kind, prediction.observations)});
  }
  if (options.model == kLeastError) {
    prediction.model = least_error_model(prediction.models);
  }
  for (const Machine& machine : catalogue.machines) {
    for (const std::uint32_t instances : instances_of(machine)) {
      std::optional<Choice> choice =
          choice_of({.machine = machine, .instances = instances}, prediction.models[prediction.model], options);
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
                                   prediction.models[prediction.model].kind.name, fmt::join(options.ratios, ", "),
                                   options.ranks.empty() ? "" : " and the numbers of ranks that --ranks allows"));
  }
  std::ranges::stable_sort(prediction.choices, {}, &Choice::time);
  mark_front(prediction.choices);
  return prediction;
}

}  // namespace weft::predict

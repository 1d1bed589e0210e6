#include "predict/prediction_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/svg.hpp"

namespace weft::predict {
namespace {

constexpr std::size_t kMostLines = 40;  // of choices; those of the front are always shown

std::string percent(double part) { return std::isfinite(part) ? fmt::format("{:.1f}%", 100.0 * part) : "-"; }
std::string seconds(double time) { return std::isfinite(time) ? fmt::format("{:.4g}", time) : "-"; }

std::string profiles_text(const Prediction& prediction) {
  std::string text =
      fmt::format("{:<24} {:<12} {:>6} {:>6} {:>6} {:>10} {:>11} {:>9} {:>10} {:>10}\n", "profile", "machine", "ranks",
                  "cores", "hosts", "time s", "computing s", "in MPI s", "sends/rank", "bytes/send");
  for (const Observation& run : prediction.observations) {
    text += fmt::format("{:<24} {:<12} {:>6} {:>6} {:>6} {:>10.4g} {:>11.4g} {:>9.4g} {:>10.4g} {:>10.4g}\n",
                        run.profile.name, run.where.machine.name, run.where.ranks, run.where.cores(),
                        run.where.instances, run.profile.time, run.profile.computing(), run.profile.waiting,
                        run.profile.sends_per_rank(), run.profile.bytes_per_send());
  }
  const double span = span_of_times(prediction.observations);
  if (span < kWantedSpan) {
    text += fmt::format(
        "The times span {:.2g} times only: with less than {:g} times a constant looks right, too, and errors say "
        "little.\n",
        span, kWantedSpan);
  }
  return text;
}

std::string errors_text(const Validation& validation) {
  return fmt::format("{:>8} {:>8}  ", percent(validation.mape), percent(std::expm1(validation.worst_log)));
}

std::string models_text(const Prediction& prediction) {
  const bool several_machines = prediction.models[prediction.model].machines_left_out.has_value();
  std::string text = several_machines ? "\nErrors of sizes, and of machines, that were left out of the fit:\n"
                                      : "\nErrors of sizes that were left out of the fit:\n";
  text += fmt::format("{:<8} {:>8} {:>8}  {}{}\n", "model", "mean", "largest",
                      several_machines ? fmt::format("{:>8} {:>8}  ", "machines", "largest") : "", "what");
  const double chosen = prediction.models[prediction.model].error();
  std::string better;
  for (const FittedModel& model : prediction.models) {
    const std::string summary = model.predictor->summary();
    text += fmt::format("{:<8} {}{}{}{}{}\n", model.kind.name, errors_text(model.validation),
                        model.machines_left_out ? errors_text(*model.machines_left_out) : "", model.kind.what,
                        summary.empty() ? "" : "; ", summary);
    if (model.error() < chosen - 1e-3 || (std::isnan(chosen) && std::isfinite(model.error()))) {
      better += fmt::format("{}{}", better.empty() ? "" : ", ", model.kind.name);
    }
  }
  if (!better.empty()) {
    text += fmt::format("Nearer to these runs than {}: {} (--model).\n", prediction.models[prediction.model].kind.name,
                        better);
  }
  return text;
}

std::string interval_text(const Choice& choice) {
  return std::isfinite(choice.low) ? fmt::format("{:.4g} - {:.4g}", choice.low, choice.high) : "-";
}

std::string choices_text(const Prediction& prediction) {
  std::string text =
      fmt::format("\n{:<16} {:>9} {:>6} {:>6} {:>5} {:>10} {:>21} {:>12}        ", "machine", "instances", "cores",
                  "ranks", "ratio", "time s", "interval s", "cost " + prediction.currency);
  for (const FittedModel& model : prediction.models) {
    text += fmt::format(" {:>9}", model.kind.name);
  }
  text += "\n";
  std::size_t lines = 0;
  for (const Choice& choice : prediction.choices) {
    if (++lines > kMostLines && !choice.on_front) {
      continue;
    }
    text += fmt::format("{:<16} {:>9} {:>6} {:>6} {:>5.3g} {:>10} {:>21} {:>12.4g} {:<7}", choice.where.machine.name,
                        choice.where.instances, choice.where.cores(), choice.where.ranks, choice.where.ratio(),
                        seconds(choice.time), interval_text(choice), choice.cost,
                        choice.is_knee ? "knee" : (choice.on_front ? "front" : ""));
    for (const double time : choice.times_of) {
      text += fmt::format(" {:>9}", seconds(time));
    }
    text += "\n";
  }
  if (prediction.choices.size() > kMostLines) {
    text += fmt::format("The {} fastest and the front of {} choices; --json has all.\n", kMostLines,
                        prediction.choices.size());
  }
  return text;
}

nlohmann::json number_or_null(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr);
}

nlohmann::json json_of(const Observation& run) {
  return {{"name", run.profile.name},
          {"machine", run.where.machine.name},
          {"ranks", run.where.ranks},
          {"cores", run.where.cores()},
          {"hosts", run.where.instances},
          {"time_s", run.profile.time},
          {"computing_s", run.profile.computing()},
          {"in_mpi_s", run.profile.waiting},
          {"sends_per_rank", run.profile.sends_per_rank()},
          {"bytes_per_send", run.profile.bytes_per_send()},
          {"bytes_to_move", run.profile.bytes_to_move}};
}

nlohmann::json json_of(const Validation& validation) {
  nlohmann::json runs = nlohmann::json::array();
  for (const LeftOut& run : validation.runs) {
    runs.push_back({{"profile", run.run},
                    {"predicted_s", number_or_null(run.predicted)},
                    {"measured_s", number_or_null(run.measured)}});
  }
  return {{"mean_error", number_or_null(validation.mape)},
          {"largest_factor", number_or_null(std::exp(validation.worst_log))},
          {"runs", runs}};
}

nlohmann::json json_of(const FittedModel& model) {
  nlohmann::json json = {{"name", model.kind.name},
                         {"summary", model.predictor->summary()},
                         {"sizes_left_out", json_of(model.validation)}};
  if (model.machines_left_out) {
    json["machines_left_out"] = json_of(*model.machines_left_out);
  }
  return json;
}

nlohmann::json json_of(const Choice& choice, const std::vector<FittedModel>& models) {
  nlohmann::json times = nlohmann::json::object();
  for (std::size_t i = 0; i < models.size(); ++i) {
    times[std::string(models[i].kind.name)] = number_or_null(choice.times_of[i]);
  }
  return {{"machine", choice.where.machine.name},
          {"instances", choice.where.instances},
          {"cores", choice.where.cores()},
          {"ranks", choice.where.ranks},
          {"ratio", choice.where.ratio()},
          {"time_s", choice.time},
          {"low_s", number_or_null(choice.low)},
          {"high_s", number_or_null(choice.high)},
          {"cost", choice.cost},
          {"front", choice.on_front},
          {"knee", choice.is_knee},
          {"times_s", times}};
}

sim::LineChart cost_chart(const Prediction& prediction) {
  std::map<std::string, sim::LineSeries> machines;
  sim::LineSeries front{.label = "front", .points = {}, .dashed = true};
  for (const Choice& choice : prediction.choices) {
    machines[choice.where.machine.name].points.emplace_back(choice.time, choice.cost);
    if (choice.on_front) {
      front.points.emplace_back(choice.time, choice.cost);
    }
  }
  sim::LineChart chart{.title = "Cost against time",
                       .x_label = "seconds",
                       .y_label = prediction.currency,
                       .series = {front},
                       .marks = true};
  for (auto& [name, series] : machines) {
    series.label = name;
    series.colour = chart.series.size();
    chart.series.push_back(std::move(series));
  }
  return chart;
}

// The times of the profiles: measured, and by each model with the profile's size left out.
sim::LineChart time_chart(const Prediction& prediction) {
  sim::LineChart chart{.title = "Time of the profiles: measured, and predicted with their size left out",
                       .x_label = "cores",
                       .y_label = "seconds",
                       .series = {},
                       .marks = true};
  std::vector<std::size_t> order(prediction.observations.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return prediction.observations[i].where.cores(); });
  sim::LineSeries measured{.label = "measured", .points = {}};
  for (const std::size_t i : order) {
    measured.points.emplace_back(prediction.observations[i].where.cores(), prediction.observations[i].profile.time);
  }
  chart.series.push_back(measured);
  for (const FittedModel& model : prediction.models) {
    sim::LineSeries series{
        .label = std::string(model.kind.name), .points = {}, .dashed = true, .colour = chart.series.size()};
    for (const std::size_t i : order) {
      if (const double time = model.validation.runs[i].predicted; std::isfinite(time)) {
        series.points.emplace_back(prediction.observations[i].where.cores(), time);
      }
    }
    chart.series.push_back(series);
  }
  return chart;
}

}  // namespace

std::string prediction_table(const Prediction& prediction) {
  const auto knee = std::ranges::find_if(prediction.choices, &Choice::is_knee);
  return profiles_text(prediction) + models_text(prediction) + choices_text(prediction) +
         fmt::format("Knee: {} x {}, weftrun -n {} --workers {}: {} ranks a core.\n", knee->where.instances,
                     knee->where.machine.name, knee->where.ranks, knee->where.busy_cores(), knee->where.ratio());
}

std::string prediction_json(const Prediction& prediction) {
  nlohmann::json json = {{"weft_prediction", 1},
                         {"currency", prediction.currency},
                         {"model", prediction.models[prediction.model].kind.name},
                         {"profiles", nlohmann::json::array()},
                         {"models", nlohmann::json::array()},
                         {"choices", nlohmann::json::array()}};
  for (const Observation& run : prediction.observations) {
    json["profiles"].push_back(json_of(run));
  }
  for (const FittedModel& model : prediction.models) {
    json["models"].push_back(json_of(model));
  }
  for (const Choice& choice : prediction.choices) {
    json["choices"].push_back(json_of(choice, prediction.models));
  }
  return json.dump(1) + "\n";
}

std::string prediction_page(const Prediction& prediction) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>weftsim predict</title>\n<style>"
         "body{font:14px sans-serif;margin:24px}.legend span{margin-right:16px}.legend i{display:inline-block;"
         "width:24px;margin-right:6px;vertical-align:middle}</style></head><body>\n" +
         sim::line_chart(cost_chart(prediction)) + sim::line_chart(time_chart(prediction)) + "<pre>" +
         sim::escaped(prediction_table(prediction)) + "</pre>\n</body></html>\n";
}

}  // namespace weft::predict

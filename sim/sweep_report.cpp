#include "sim/sweep_report.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::sim {
namespace {

// A part of a setting, with its name in both reports.
struct Part {
  const char* name = "";
  std::function<nlohmann::json(std::size_t setting)> value;
};

std::vector<Part> parts_of(const SweepResult& result) {
  const auto setting = [&result](std::size_t i) -> const Setting& { return result.settings[i]; };
  const auto outcome = [&result](std::size_t i) -> const Outcome& { return result.outcomes[i]; };
  const auto balanced = [setting](std::size_t i, const std::string& text) -> nlohmann::json {
    return setting(i).balancing.strategy == "none" ? nlohmann::json("-") : nlohmann::json(text);
  };
  return {
      {"workload", [&result, setting](std::size_t i) { return result.workloads[setting(i).workload]; }},
      {"ranks", [outcome](std::size_t i) { return outcome(i).ranks; }},
      {"hosts", [outcome](std::size_t i) { return outcome(i).hosts; }},
      {"processes", [outcome](std::size_t i) { return outcome(i).processes; }},
      {"workers", [outcome](std::size_t i) { return outcome(i).workers; }},
      {"speed", [setting](std::size_t i) { return setting(i).change.speed; }},
      {"latency", [setting](std::size_t i) { return setting(i).change.latency; }},
      {"bandwidth", [setting](std::size_t i) { return setting(i).change.bandwidth; }},
      {"network", [setting](std::size_t i) { return setting(i).network; }},
      {"placement", [setting](std::size_t i) { return setting(i).placement; }},
      {"lb", [setting](std::size_t i) { return setting(i).balancing.strategy; }},
      {"lb_when", [setting, balanced](std::size_t i) { return balanced(i, setting(i).balancing.when); }},
      {"lb_model", [setting, balanced](std::size_t i) { return balanced(i, setting(i).balancing.model); }},
  };
}

std::string text_of(const nlohmann::json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// The relative gain over the run without balancing; null if that is not known.
nlohmann::json gain_of(const SweepResult& result, std::size_t i) {
  const std::size_t base = unbalanced(result.settings, i);
  if (base == result.settings.size() || !(result.outcomes[base].makespan > 0.0)) {
    return nullptr;
  }
  return 1.0 - result.outcomes[i].makespan / result.outcomes[base].makespan;
}

// A column's name, then its text for each setting. Empty if all settings have the same text, except for "lb".
std::vector<std::string> column_of(const Part& part, std::size_t settings) {
  std::vector<std::string> texts{part.name};
  for (std::size_t i = 0; i < settings; ++i) {
    texts.push_back(text_of(part.value(i)));
  }
  const bool alike = std::adjacent_find(texts.begin() + 1, texts.end(), std::ranges::not_equal_to{}) == texts.end();
  return alike && std::string_view(part.name) != "lb" ? std::vector<std::string>{} : texts;
}

std::string outcome_text(const SweepResult& result, std::size_t i) {
  const Outcome& outcome = result.outcomes[i];
  const nlohmann::json gain = gain_of(result, i);
  return fmt::format("{:>14.6f} {:>8} {:>10.3f} {:>6} {:>8} {:>10.6f}\n", outcome.makespan,
                     gain.is_null() ? std::string("-") : fmt::format("{:.2f}%", 100.0 * gain.get<double>()),
                     outcome.imbalance, outcome.steps, outcome.moves, outcome.stepping);
}

}  // namespace

std::size_t unbalanced(std::span<const Setting> settings, std::size_t setting) {
  const auto same = [&](const Setting& other) {
    const Setting& one = settings[setting];
    return other.balancing.strategy == "none" && other.workload == one.workload && other.ratio == one.ratio &&
           other.change == one.change && other.placement == one.placement && other.network == one.network &&
           other.seed == one.seed;
  };
  return static_cast<std::size_t>(std::ranges::find_if(settings, same) - settings.begin());
}

std::string sweep_table(const SweepResult& result) {
  std::vector<std::vector<std::string>> columns;
  for (const Part& part : parts_of(result)) {
    columns.push_back(column_of(part, result.settings.size()));
  }
  std::erase_if(columns, [](const auto& column) { return column.empty(); });
  std::string text;
  for (std::size_t line = 0; line <= result.settings.size(); ++line) {
    for (const auto& column : columns) {
      const std::size_t width = std::ranges::max(column, {}, &std::string::size).size();
      text += fmt::format("{:<{}}", column[line], width + 2);
    }
    text += line == 0 ? fmt::format("{:>14} {:>8} {:>10} {:>6} {:>8} {:>10}\n", "makespan s", "gain", "imbalance",
                                    "steps", "moves", "steps took")
                      : outcome_text(result, line - 1);
  }
  return text;
}

std::string sweep_json(const SweepResult& result) {
  const std::vector<Part> parts = parts_of(result);
  nlohmann::ordered_json settings = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < result.settings.size(); ++i) {
    nlohmann::ordered_json setting;
    for (const Part& part : parts) {
      setting[part.name] = part.value(i);
    }
    const Outcome& outcome = result.outcomes[i];
    setting["makespan_s"] = outcome.makespan;
    setting["gain"] = gain_of(result, i);
    setting["imbalance"] = outcome.imbalance;
    setting["steps"] = outcome.steps;
    setting["moves"] = outcome.moves;
    setting["steps_took_s"] = outcome.stepping;
    settings.push_back(setting);
  }
  return nlohmann::ordered_json{{"weft_sweep", 1}, {"settings", settings}}.dump(1) + "\n";
}

}  // namespace weft::sim

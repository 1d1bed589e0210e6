#include "tools/weftsim/setting_options.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "lb/strategy.hpp"

namespace weft::tools::weftsim {
namespace {

// Values with commas between them, in one word.
template <typename T>
CLI::Option* add_list(CLI::App& command, const char* name, std::vector<T>& values, const char* help) {
  return command.add_option(name, values, help)->delimiter(',')->allow_extra_args(false);
}

template <typename T>
CLI::Option* add_positive(CLI::App& command, const char* name, std::vector<T>& values, const char* help) {
  const auto is_positive = [](const std::string& text) {
    double value = 0.0;
    const bool is_number = CLI::detail::lexical_cast(text, value);
    return is_number && value > 0.0 && std::isfinite(value) ? std::string() : "expected a number above 0, not " + text;
  };
  return add_list(command, name, values, help)->check(CLI::Validator(is_positive, "above 0"));
}

// Whether the text begins with a strategy's name: "refine:1.1" does; "thesis" of "migbsp:one,thesis" does not.
bool begins_strategy(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  return std::ranges::any_of(lb::strategies(), [&](const lb::StrategyInfo& strategy) { return strategy.name == name; });
}

}  // namespace

void add_balancing_options(CLI::App& command, sim::SettingAxes& axes) {
  add_list(command, "--lb", axes.strategies, "Strategy of balancing, as weftrun --lb has it; all: each of them");
  add_list(command, "--lb-when", axes.whens,
           "When a step is due, as weftrun --lb-when has it: every:K calls of MPI_Migrate, auto, migbsp");
  command.add_flag_callback(
      "--lb-continuous",
      [] {
        throw std::invalid_argument(
            "--lb-continuous is not simulated: ranks move at balancing steps alone, as --lb says");
      },
      "Is not simulated");
  add_list(command, "--lb-model", axes.models, "Model that predicts loads, as weftrun --lb-model has it");
}

void add_machine_options(CLI::App& command, sim::SettingAxes& axes) {
  CLI::Option* const workers =
      add_positive(command, "--workers", axes.workers, "Workers in all, as weftrun --workers; hosts must be alike");
  add_positive(command, "--ratio", axes.ratios, "Ranks on each worker: as many workers as that takes")
      ->excludes(workers);
  add_positive(command, "--processes", axes.processes, "Processes in all, as weftrun --processes");
  add_positive(command, "--hosts", axes.hosts, "How many hosts like those of the platform");
  add_list(command, "--placement", axes.placements,
           "Where ranks begin: blocks of ranks on workers, rank by rank: in-turn, or file:NAME of each rank's worker");
  add_list(command, "--network", axes.networks,
           "loggp: messages do not hinder each other; ports: they queue; flows: long ones share links");
  add_positive(command, "--speed", axes.speeds, "Factor of the cores' speed");
  add_positive(command, "--latency", axes.latencies, "Factor of the latency between processes and hosts");
  add_positive(command, "--bandwidth", axes.bandwidths, "Factor of the bandwidth between processes and hosts");
  command
      .add_option("--set", axes.values,
                  "KEY=VALUE of the platform, as sites[0].hosts[0].speed=0.5 or hogs[+]={\"host\": \"a\"}; may be "
                  "repeated")
      ->allow_extra_args(false);
}

void expand_strategies(sim::SettingAxes& axes) {
  std::vector<std::string> names;
  for (const std::string& name : axes.strategies) {
    if (name != "all") {
      const bool belongs_to_last = !names.empty() && !begins_strategy(name);
      belongs_to_last ? void(names.back() += "," + name) : names.push_back(name);
      continue;
    }
    for (const lb::StrategyInfo& strategy : lb::strategies()) {
      if (strategy.name != "rotate" && strategy.name != "random") {
        names.emplace_back(strategy.name);
      }
    }
  }
  axes.strategies = std::move(names);
}

unsigned default_threads() { return std::max(1U, std::thread::hardware_concurrency()); }

}  // namespace weft::tools::weftsim

#include "sim/best.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "lb/strategy.hpp"
#include "lb/when.hpp"

namespace weft::sim {
namespace {

constexpr std::size_t kFinalists = 3;
constexpr std::array<std::uint64_t, 10> kPeriods{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000};

std::string every(std::uint64_t period) { return fmt::format("every:{}", period); }

bool balances_alike(const Setting& a, const Setting& b) {
  return a.balancing.strategy == b.balancing.strategy && a.balancing.when == b.balancing.when &&
         a.balancing.model == b.balancing.model;
}

// "a:2,b:2": hosts with their processes.
std::string hosts_option(const Platform& platform) {
  std::vector<std::uint32_t> processes(platform.hosts.size());
  std::uint32_t seen = 0;
  for (const WorkerPlace& place : platform.workers) {  // numbers of processes ascend
    processes[place.host] += place.process >= seen ? 1 : 0;
    seen = std::max(seen, place.process + 1);
  }
  std::vector<std::string> hosts;
  for (std::size_t i = 0; i < processes.size(); ++i) {
    hosts.push_back(fmt::format("{}:{}", platform.hosts[i], processes[i]));
  }
  return fmt::format(" --hosts {}", fmt::join(hosts, ","));
}

class Search {
 public:
  Search(const SweepInput& input, const SearchOptions& options, const ShowProgress& show)
      : input_(input), options_(options), show_(show), calls_(migrate_calls(input.workloads[options.start.workload])) {
    if (calls_ < 2) {
      throw std::invalid_argument(
          "ranks of the workload call MPI_Migrate less than twice: there is nothing to balance");
    }
    const std::size_t last = (kFinalists + 1) * options.seeds;
    if (options.budget < last + 2) {
      throw std::invalid_argument(fmt::format("a budget of {} replays is below {}: {} finalists with {} seeds, and two",
                                              options.budget, last + 2, kFinalists + 1, options.seeds));
    }
    left_ = options.budget - last;
  }

  SearchResult run() {
    try_all({options_.start});
    try_strategies();
    refine_rules();
    refine_models();
    refine_neighbours();
    return compare_finalists();
  }

 private:
  using Tried = std::pair<Setting, Outcome>;

  Setting with(const Setting& setting, const std::string& strategy, const std::string& when,
               const std::string& model) const {
    Setting other = setting;
    other.balancing.strategy = strategy;
    other.balancing.when = when;
    other.balancing.model = model;
    return other;
  }

  // Replays those that have not been tried, as far as the budget goes.
  void try_all(const std::vector<Setting>& settings) {
    std::vector<Setting> fresh;
    for (const Setting& setting : settings) {
      if (fresh.size() < left_ && !has_tried(setting, fresh)) {
        fresh.push_back(setting);
      }
    }
    const std::vector<Outcome> outcomes = replay(fresh);
    left_ -= fresh.size();
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      tried_.emplace_back(fresh[i], outcomes[i]);
    }
  }

  [[nodiscard]] bool has_tried(const Setting& setting, const std::vector<Setting>& fresh) const {
    const auto same = [&](const Setting& other) { return balances_alike(setting, other); };
    return std::ranges::any_of(fresh, same) || std::ranges::any_of(tried_, same, &Tried::first);
  }

  std::vector<Outcome> replay(const std::vector<Setting>& settings) {
    const std::size_t before = replays_;
    replays_ += settings.size();
    return replay_all(input_, settings, options_.threads,
                      [&](std::size_t done, std::size_t) { show_(before + done, options_.budget); });
  }

  // The best settings with balancing; each strategy only once if `distinct`.
  [[nodiscard]] std::vector<Setting> best(std::size_t count, bool distinct) const {
    std::vector<Tried> sorted(tried_.begin() + 1, tried_.end());
    std::ranges::stable_sort(sorted, {}, [](const Tried& tried) { return tried.second.makespan; });
    std::vector<Setting> chosen;
    for (const auto& [setting, outcome] : sorted) {
      const bool known = std::ranges::any_of(
          chosen, [&](const Setting& other) { return other.balancing.strategy == setting.balancing.strategy; });
      if (chosen.size() < count && !(distinct && known)) {
        chosen.push_back(setting);
      }
    }
    return chosen;
  }

  [[nodiscard]] std::vector<std::string> rules() const {
    std::vector<std::string> names{"auto"};
    for (const std::uint64_t period : kPeriods) {
      if (2 * period <= calls_) {
        names.push_back(every(period));
      }
    }
    return names;
  }

  // Each strategy with about ten steps in the run, and with the rule `auto`.
  void try_strategies() {
    const std::uint64_t period = std::max<std::uint64_t>(1, calls_ / 10);
    std::vector<Setting> settings;
    for (const lb::StrategyInfo& strategy : lb::strategies()) {
      if (strategy.name != "none" && strategy.name != "rotate" && strategy.name != "random") {
        for (const std::string& when : {every(period), std::string("auto")}) {
          settings.push_back(with(options_.start, std::string(strategy.name), when, "last"));
        }
      }
    }
    try_all(settings);
  }

  void refine_rules() {
    std::vector<Setting> settings;
    for (const Setting& setting : best(3, true)) {
      for (const std::string& when : rules()) {
        settings.push_back(with(setting, setting.balancing.strategy, when, "last"));
      }
    }
    try_all(settings);
  }

  void refine_models() {
    std::vector<Setting> settings;
    for (const Setting& setting : best(3, false)) {
      for (const char* const model : {"mean:0.3", "mean:0.7", "trend:4"}) {
        settings.push_back(with(setting, setting.balancing.strategy, setting.balancing.when, model));
      }
    }
    try_all(settings);
  }

  void refine_neighbours() {
    std::vector<Setting> settings;
    for (const Setting& setting : best(2, false)) {
      const lb::DeciderOptions& balancing = setting.balancing;
      if (const std::uint64_t period = lb::period_of(balancing.when); period != 0) {
        for (const std::uint64_t other : {period * 3 / 4, period * 3 / 2}) {
          if (other != 0 && 2 * other <= calls_) {
            settings.push_back(with(setting, balancing.strategy, every(other), balancing.model));
          }
        }
      }
      if (balancing.strategy == "refine" || balancing.strategy == "greedy-refine") {
        for (const char* const tolerance : {"1.01", "1.03", "1.10"}) {
          settings.push_back(
              with(setting, fmt::format("{}:{}", balancing.strategy, tolerance), balancing.when, balancing.model));
        }
      }
    }
    try_all(settings);
  }

  SearchResult compare_finalists() {
    std::vector<Setting> chosen{options_.start};
    for (const Setting& setting : best(kFinalists, false)) {
      chosen.push_back(setting);
    }
    std::vector<Setting> settings;
    for (const Setting& setting : chosen) {
      for (std::uint64_t seed = 1; seed <= options_.seeds; ++seed) {
        settings.push_back(setting);
        settings.back().seed = seed;
      }
    }
    const std::vector<Outcome> outcomes = replay(settings);
    SearchResult result;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::vector<double> makespans;
      for (std::size_t k = 0; k < options_.seeds; ++k) {
        makespans.push_back(outcomes[i * options_.seeds + k].makespan);
      }
      result.finalists.push_back({chosen[i], outcome_of(chosen[i]), figure_of(makespans)});
    }
    result.unbalanced = result.finalists.front();
    result.replays = replays_;
    // A setting with balancing must be shorter by more than the spreads of both to come before the one without.
    std::ranges::stable_sort(result.finalists, {}, [&](const Estimate& estimate) {
      const bool balances = estimate.setting.balancing.strategy != "none";
      return estimate.makespan.value + (balances ? estimate.makespan.spread + result.unbalanced.makespan.spread : 0.0);
    });
    return result;
  }

  [[nodiscard]] Outcome outcome_of(const Setting& setting) const {
    const auto same = [&](const Setting& other) { return balances_alike(setting, other); };
    return std::ranges::find_if(tried_, same, &Tried::first)->second;
  }

  const SweepInput& input_;
  const SearchOptions& options_;
  const ShowProgress& show_;
  std::uint64_t calls_;
  std::size_t left_ = 0;      // of the budget, for the search
  std::size_t replays_ = 0;   // so far
  std::vector<Tried> tried_;  // the first one is the setting without balancing
};

}  // namespace

SearchResult find_best(const SweepInput& input, const SearchOptions& options, const ShowProgress& show) {
  return Search(input, options, show).run();
}

std::string weftrun_options(const Setting& setting, const Platform& platform, std::uint32_t ranks) {
  std::string line = fmt::format("-n {} --workers {}", ranks, platform.workers.size());
  if (platform.hosts.size() > 1) {
    line += hosts_option(platform);
  } else if (platform.processes > 1) {
    line += fmt::format(" --processes {}", platform.processes);
  }
  const lb::DeciderOptions& balancing = setting.balancing;
  if (balancing.strategy == "none") {
    return line;
  }
  line += fmt::format(" --lb {}", balancing.strategy);
  line += balancing.when == "every" ? "" : fmt::format(" --lb-when {}", balancing.when);
  return line + (balancing.model == "last" ? "" : fmt::format(" --lb-model {}", balancing.model));
}

}  // namespace weft::sim

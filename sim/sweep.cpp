#include "sim/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <fstream>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

#include "base/input_file.hpp"
#include "lb/load_model.hpp"
#include "lb/strategy.hpp"
#include "lb/when.hpp"
#include "sim/report.hpp"

namespace weft::sim {
namespace {

// Replaces each setting by one for each value.
template <typename Values, typename Assign>
void expand(std::vector<Setting>& settings, const Values& values, const Assign& assign) {
  std::vector<Setting> all;
  for (const Setting& setting : settings) {
    for (const auto& value : values) {
      assign(all.emplace_back(setting), value);
    }
  }
  settings = std::move(all);
}

// The same for a part of balancing; settings without balancing stay as they are.
void expand_balancing(std::vector<Setting>& settings, const std::vector<std::string>& values,
                      std::string lb::DeciderOptions::*member) {
  std::vector<Setting> all;
  for (const Setting& setting : settings) {
    const std::size_t count = setting.balancing.strategy == "none" ? 0 : values.size();
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
      all.push_back(setting);
      if (count != 0) {
        all.back().balancing.*member = values[i];
      }
    }
  }
  settings = std::move(all);
}

std::vector<std::uint32_t> read_homes(const std::string& file, std::uint32_t ranks, std::uint32_t workers) {
  if (const std::string why = base::why_unreadable(file); !why.empty()) {
    throw std::invalid_argument(why);
  }
  std::ifstream in(file);
  std::vector<std::uint32_t> homes;
  for (std::uint32_t home = 0; in >> home;) {
    homes.push_back(home);
  }
  if (!in.eof() || homes.size() != ranks || std::ranges::any_of(homes, [&](auto home) { return home >= workers; })) {
    throw std::invalid_argument(
        fmt::format("{}: expected a worker's number below {} for each of {} ranks", file, workers, ranks));
  }
  return homes;
}

Outcome outcome_of(const PreparedReplay& prepared, const ReplayResult& result) {
  const Platform& platform = prepared.platform;
  Outcome outcome{.ranks = static_cast<std::uint32_t>(prepared.workload->streams.size()),
                  .workers = static_cast<std::uint32_t>(platform.workers.size()),
                  .processes = platform.processes,
                  .hosts = static_cast<std::uint32_t>(platform.hosts.size()),
                  .makespan = result.makespan,
                  .imbalance = imbalance_of(result, platform),
                  .steps = result.steps.size()};
  for (const StepReport& step : result.steps) {
    outcome.moves += step.moves;
    outcome.stepping += step.seconds;
  }
  return outcome;
}

Outcome run_replay(const PreparedReplay& prepared) {
  if (prepared.seed == 0) {
    return outcome_of(prepared, replay(*prepared.workload, prepared.platform, prepared.options));
  }
  const Workload workload = perturbed(*prepared.workload, prepared.platform.uncertainty, prepared.seed);
  return outcome_of(prepared, replay(workload, perturbed(prepared.platform, prepared.seed), prepared.options));
}

// SplitMix64 (Steele, Lea, Flood 2014) and Box and Muller: the same on all machines.
class RandomFactors {
 public:
  // The factors are log-normal, and half of them lie within `spread` around 1.
  RandomFactors(double spread, std::uint64_t seed) : deviation_(spread / kQuartile), state_(seed) {}
  double next() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - part()));
    return std::exp(deviation_ * radius * std::cos(6.283185307179586 * part()));
  }

 private:
  static constexpr double kQuartile = 0.6744897501960817;  // of the normal distribution
  double part() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return static_cast<double>((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
  }
  double deviation_;
  std::uint64_t state_;
};

}  // namespace

PreparedReplay prepare(const SweepInput& input, const Setting& setting) {
  const Workload& workload = input.workloads[setting.workload];
  const auto ranks = static_cast<std::uint32_t>(workload.streams.size());
  PlatformChange change = setting.change;
  if (setting.ratio != 0) {
    if (ranks % setting.ratio != 0) {
      throw std::invalid_argument(
          fmt::format("{} ranks make no ratio of {}: expected a divisor of their number", ranks, setting.ratio));
    }
    change.workers = ranks / setting.ratio;
  }
  lb::make_strategy(setting.balancing.strategy);
  lb::make_when(setting.balancing.when);
  lb::make_load_model(setting.balancing.model);
  PreparedReplay prepared{
      .workload = &workload, .platform = input.platform.with(change), .options = {}, .seed = setting.seed};
  prepared.options = {
      .network = network_named(setting.network),
      .homes = homes_of(setting.placement, ranks, static_cast<std::uint32_t>(prepared.platform.workers.size())),
      .balancing = setting.balancing};
  return prepared;
}

std::vector<Setting> settings_of(const SettingAxes& axes, std::uint32_t workloads) {
  // Throws for unknown names even if no setting uses them.
  std::ranges::for_each(axes.whens, [](const std::string& when) { static_cast<void>(lb::make_when(when)); });
  std::ranges::for_each(axes.models, [](const std::string& model) { static_cast<void>(lb::make_load_model(model)); });
  std::vector<Setting> settings(1);
  settings[0].change.values = axes.values;
  std::vector<std::uint32_t> numbers(workloads);
  std::iota(numbers.begin(), numbers.end(), 0U);
  expand(settings, numbers, [](Setting& to, std::uint32_t value) { to.workload = value; });
  expand(settings, axes.ratios, [](Setting& to, std::uint32_t value) { to.ratio = value; });
  expand(settings, axes.hosts, [](Setting& to, std::uint32_t value) { to.change.hosts = value; });
  expand(settings, axes.processes, [](Setting& to, std::uint32_t value) { to.change.processes = value; });
  expand(settings, axes.workers, [](Setting& to, std::uint32_t value) { to.change.workers = value; });
  expand(settings, axes.speeds, [](Setting& to, double value) { to.change.speed = value; });
  expand(settings, axes.latencies, [](Setting& to, double value) { to.change.latency = value; });
  expand(settings, axes.bandwidths, [](Setting& to, double value) { to.change.bandwidth = value; });
  expand(settings, axes.networks, [](Setting& to, const std::string& value) { to.network = value; });
  expand(settings, axes.placements, [](Setting& to, const std::string& value) { to.placement = value; });
  expand(settings, axes.strategies, [](Setting& to, const std::string& value) { to.balancing.strategy = value; });
  expand_balancing(settings, axes.whens, &lb::DeciderOptions::when);
  expand_balancing(settings, axes.models, &lb::DeciderOptions::model);
  return settings;
}

std::vector<std::uint32_t> homes_of(std::string_view placement, std::uint32_t ranks, std::uint32_t workers) {
  if (placement == "blocks") {
    return {};
  }
  if (placement == "in-turn") {
    return round_robin_homes(ranks, workers);
  }
  if (placement.starts_with("file:")) {
    return read_homes(std::string(placement.substr(5)), ranks, workers);
  }
  throw std::invalid_argument(fmt::format("there is no placement {}; there are blocks, in-turn, file:NAME", placement));
}

Workload perturbed(Workload workload, const Uncertainty& uncertainty, std::uint64_t seed) {
  RandomFactors factors(uncertainty.computing, seed);
  for (Stream& stream : workload.streams) {
    stream.scale *= factors.next();
  }
  for (float& value : workload.values) {
    value *= static_cast<float>(factors.next());
  }
  return workload;
}

Platform perturbed(Platform platform, std::uint64_t seed) {
  RandomFactors factors(platform.uncertainty.links, ~seed);
  const auto perturb = [&](LinkCost& link) {
    for (Seconds* const cost : {&link.overhead, &link.latency, &link.gap, &link.per_byte, &link.copy_per_byte}) {
      *cost *= factors.next();
    }
  };
  std::ranges::for_each(platform.near, perturb);
  std::ranges::for_each(platform.within_site, perturb);
  for (Trunk& trunk : platform.trunks) {
    perturb(trunk.cost);
  }
  InMemoryCost& in_memory = platform.in_memory;
  for (Seconds* const cost : {&in_memory.step, &in_memory.member, &in_memory.worker, &in_memory.per_byte,
                              &platform.switch_cost, &platform.step_cost, &platform.move_cost}) {
    *cost *= factors.next();
  }
  for (ColdCost& cold : platform.cold_caches) {
    for (Seconds* const cost : {&cold.message, &cold.switching, &cold.copy_per_byte}) {
      *cost *= factors.next();
    }
  }
  return platform;
}

std::vector<Outcome> replay_all(const SweepInput& input, std::span<const Setting> settings, unsigned threads,
                                const ShowProgress& show) {
  std::vector<PreparedReplay> prepared;
  for (const Setting& setting : settings) {
    prepared.push_back(prepare(input, setting));
  }
  std::vector<Outcome> outcomes(settings.size());
  std::vector<std::exception_ptr> errors(settings.size());
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::size_t done = 0;  // guarded by the mutex
  const auto work = [&] {
    for (std::size_t i = 0; (i = next++) < prepared.size();) {
      try {
        outcomes[i] = run_replay(prepared[i]);
      } catch (...) {
        errors[i] = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      show(++done, prepared.size());
    }
  };
  {
    std::vector<std::jthread> workers;
    for (unsigned i = 1; i < threads && i < prepared.size(); ++i) {
      workers.emplace_back(work);
    }
    work();
  }
  for (const std::exception_ptr& error : errors) {
    if (error != nullptr) {
      std::rethrow_exception(error);
    }
  }
  return outcomes;
}

}  // namespace weft::sim

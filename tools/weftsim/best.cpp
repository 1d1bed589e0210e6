// weftsim best: searches the balancing setting with the shortest run.
#include "sim/best.hpp"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "sim/compile.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/progress.hpp"
#include "tools/weftsim/setting_options.hpp"

namespace weft::tools::weftsim {
namespace {

struct BestArguments {
  std::string workload;
  std::string platform;
  std::string program = "PROGRAM";
  bool quiet = false;
  sim::SearchOptions search{.threads = default_threads()};
  sim::SettingAxes axes;
};

std::string line_of(const sim::Estimate& estimate, const sim::Estimate& unbalanced) {
  const lb::DeciderOptions& balancing = estimate.setting.balancing;
  const bool balances = balancing.strategy != "none";
  return fmt::format("{:<24} {:<12} {:<10} {:>12.6f} {:>9.2g} {:>8.2f}% {:>6} {:>8}\n", balancing.strategy,
                     balances ? balancing.when : "-", balances ? balancing.model : "-", estimate.makespan.value,
                     estimate.makespan.spread, 100.0 * (1.0 - estimate.makespan.value / unbalanced.makespan.value),
                     estimate.outcome.steps, estimate.outcome.moves);
}

std::string report(const sim::SearchResult& result, const sim::Platform& platform, const BestArguments& arguments) {
  std::string text = fmt::format("{:<24} {:<12} {:<10} {:>12} {:>9} {:>9} {:>6} {:>8}\n", "lb", "when", "model",
                                 "expected s", "spread s", "gain", "steps", "moves");
  for (const sim::Estimate& estimate : result.finalists) {
    text += line_of(estimate, result.unbalanced);
  }
  text += fmt::format(
      "{} replays; spread: half of what lies between the quartiles of {} replays whose computing differs at random by "
      "{:.2g} % and whose links differ by {:.2g} %, as the platform's calibration says\n",
      result.replays, arguments.search.seeds, 100.0 * platform.uncertainty.computing,
      100.0 * platform.uncertainty.links);
  const sim::Estimate& best = result.finalists.front();
  if (best.setting.balancing.strategy == "none") {
    text += "No setting gains more than the spreads: run it without balancing.\n";
  }
  return text + fmt::format("weftrun {} {}\n", sim::weftrun_options(best.setting, platform, best.outcome.ranks),
                            arguments.program);
}

void best(BestArguments& arguments) {
  const std::vector<sim::Setting> settings = sim::settings_of(arguments.axes, 1);
  if (settings.size() != 1) {
    throw std::invalid_argument("best takes one machine; weftsim sweep compares several");
  }
  arguments.search.start = settings.front();
  const sim::PlatformFile platform(arguments.platform);
  const std::vector<sim::Workload> workloads{sim::read_workload(arguments.workload)};
  const sim::SweepInput input{workloads, platform};
  Progress progress("replays at most", arguments.quiet);
  const sim::SearchResult result =
      sim::find_best(input, arguments.search, [&](std::size_t done, std::size_t all) { progress.show(done, all); });
  progress.end();
  const sim::Platform machine = sim::prepare(input, arguments.search.start).platform;
  print(report(result, machine, arguments));
}

}  // namespace

void add_best(CLI::App& app) {
  const auto arguments = std::make_shared<BestArguments>();
  CLI::App* const command = app.add_subcommand("best", "Find the best way to balance, and the line of weftrun for it");
  command->add_option("workload", arguments->workload, "File of actions, or folder of a recording")->required();
  command->add_option("platform", arguments->platform, "File that describes the machine")->required();
  command->add_option("--budget", arguments->search.budget, "Replays, at most")->capture_default_str();
  command->add_option("--seeds", arguments->search.seeds, "Replays of each finalist with times that differ at random")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--program", arguments->program, "What stands at the end of the line")->capture_default_str();
  add_machine_options(*command, arguments->axes);
  command->add_option("-j,--jobs", arguments->search.threads, "Replays at a time")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command->add_flag("-q,--quiet", arguments->quiet, "Say nothing of the progress");
  command->callback([arguments] { best(*arguments); });
}

}  // namespace weft::tools::weftsim

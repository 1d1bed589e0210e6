#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "sim/compile.hpp"
#include "sim/platform_file.hpp"
#include "sim/replay.hpp"
#include "sim/report.hpp"
#include "sim/timeline.hpp"
#include "tools/weftsim/commands.hpp"
#include "trace/chrome.hpp"

namespace weft::tools::weftsim {
namespace {

struct RunArguments {
  std::string workload;
  std::string platform;
  std::string network = "ports";
  std::string placement = "blocks";
  std::string json;
  std::string steps;
  std::string timeline;
  lb::DeciderOptions balancing;
};

std::vector<std::uint32_t> homes_of(const std::string& placement, std::size_t ranks, std::size_t workers) {
  const auto place = placement == "blocks" ? sim::blocks_of : sim::in_turn;
  return place(static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(workers));
}

void run(const RunArguments& arguments) {
  const sim::Platform platform = sim::read_platform(arguments.platform);
  const sim::Workload workload = sim::read_workload(arguments.workload);
  sim::Timeline timeline;
  const sim::ReplayResult result =
      sim::replay(workload, platform,
                  {.network = sim::network_named(arguments.network),
                   .homes = homes_of(arguments.placement, workload.streams.size(), platform.workers.size()),
                   .balancing = arguments.balancing,
                   .keep_iterations = !arguments.json.empty(),
                   .timeline = arguments.timeline.empty() ? nullptr : &timeline});
  std::fputs(sim::result_table(result, platform).c_str(), stdout);
  if (!arguments.json.empty()) {
    write_file(arguments.json, sim::result_json(result, platform));
  }
  if (!arguments.timeline.empty()) {
    std::ostringstream text;
    trace::write_chrome(timeline.take(), text);
    write_file(arguments.timeline, text.str());
  }
  if (!arguments.steps.empty()) {
    write_file(arguments.steps, sim::result_json(result, platform));
  }
}

}  // namespace

void add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* const command = app.add_subcommand("run", "Simulate a workload on a platform and say how long it takes");
  command->add_option("workload", arguments->workload, "File of actions, or folder of a recording")->required();
  command->add_option("platform", arguments->platform, "File that describes the machine (docs/simulation.md)")
      ->required();
  command->add_option("--network", arguments->network, "loggp: messages do not hinder each other; ports: they queue")
      ->capture_default_str();
  command->add_option("--placement", arguments->placement, "blocks of ranks on workers, or rank by rank: in-turn")
      ->check(CLI::IsMember({"blocks", "in-turn"}))
      ->capture_default_str();
  command->add_option("--lb", arguments->balancing.strategy, "Strategy of balancing, as weftrun --lb has it")
      ->capture_default_str();
  command
      ->add_option("--lb-when", arguments->balancing.when,
                   "When a step is due: every:K calls of MPI_Migrate, auto, migbsp")
      ->capture_default_str();
  command
      ->add_option("--lb-model", arguments->balancing.model, "Model that predicts loads, as weftrun --lb-model has it")
      ->capture_default_str();
  command->add_option("--json", arguments->json, "Write everything that is known of the run to this file, too");
  command->add_option("--timeline", arguments->timeline,
                      "Write who computed, called and waited when to this file, for ui.perfetto.dev");
  command->add_option("--steps", arguments->steps, "The same, without what each worker did in each iteration");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace weft::tools::weftsim

// weftsim: simulates runs. Subcommands: run, generate.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "sim/actions_file.hpp"
#include "sim/generate.hpp"
#include "sim/platform_file.hpp"
#include "sim/replay.hpp"
#include "sim/report.hpp"

namespace weft::tools {
namespace {

struct RunArguments {
  std::string workload;
  std::string platform;
  std::string network = "ports";
  std::string json;
  lb::DeciderOptions balancing;
};

struct GenerateArguments {
  std::string kind;
  std::string file;
  std::string grid = "8";
  std::string imbalance = "even";
  sim::GenerateOptions options;
};

// "16", "8x8", "4x4x4".
std::array<std::uint32_t, 3> parse_grid(const std::string& text) {
  std::array<std::uint32_t, 3> extents{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t d = 0; d < extents.size(); ++d) {
    const auto [next, error] = std::from_chars(at, end, extents[d]);
    if (error != std::errc{}) {
      break;
    }
    if (next == end) {
      return extents;
    }
    at = next + (*next == 'x' ? 1 : 0);
  }
  throw std::invalid_argument(fmt::format("--grid: expected ranks in up to three dimensions, as 8x8x4, not {}", text));
}

void run(const RunArguments& arguments) {
  const sim::Platform platform = sim::read_platform(arguments.platform);
  const sim::Workload workload = sim::read_actions(arguments.workload);
  const sim::ReplayResult result = sim::replay(workload, platform,
                                               {.network = sim::network_named(arguments.network),
                                                .balancing = arguments.balancing,
                                                .keep_iterations = !arguments.json.empty()});
  std::fputs(sim::result_table(result, platform).c_str(), stdout);
  if (!arguments.json.empty()) {
    std::ofstream file(arguments.json);
    file << sim::result_json(result, platform);
    file.close();
    if (!file) {
      throw std::runtime_error(arguments.json + ": cannot be written");
    }
  }
}

void generate(GenerateArguments& arguments) {
  arguments.options.extents = parse_grid(arguments.grid);
  arguments.options.imbalance = sim::imbalance_named(arguments.imbalance);
  const sim::Workload workload = sim::generate(arguments.kind, arguments.options);
  sim::write_actions(workload, arguments.file);
  std::puts(fmt::format("{}: {} ranks, {} actions, {} templates", arguments.file, workload.streams.size(),
                        sim::expanded_actions(workload), workload.templates.size())
                .c_str());
}

void add_run(CLI::App& app, RunArguments& arguments) {
  CLI::App* const command = app.add_subcommand("run", "Simulate a workload on a platform and say how long it takes");
  command->add_option("workload", arguments.workload, "File of actions, as weftsim generate writes it")->required();
  command->add_option("platform", arguments.platform, "File that describes the machine (docs/simulation.md)")
      ->required();
  command->add_option("--network", arguments.network, "loggp: messages do not hinder each other; ports: they queue")
      ->capture_default_str();
  command->add_option("--lb", arguments.balancing.strategy, "Strategy of balancing, as weftrun --lb has it")
      ->capture_default_str();
  command
      ->add_option("--lb-when", arguments.balancing.when,
                   "When a step is due: every:K calls of MPI_Migrate, auto, migbsp")
      ->capture_default_str();
  command
      ->add_option("--lb-model", arguments.balancing.model, "Model that predicts loads, as weftrun --lb-model has it")
      ->capture_default_str();
  command->add_option("--json", arguments.json, "Write everything that is known of the run to this file, too");
  command->callback([&arguments] { run(arguments); });
}

void add_generate(CLI::App& app, GenerateArguments& arguments) {
  CLI::App* const command = app.add_subcommand("generate", "Write a workload that no program has run");
  sim::GenerateOptions& options = arguments.options;
  command->add_option("kind", arguments.kind, "stencil, bsp, ping-pong or ring")->required();
  command->add_option("file", arguments.file, "File of actions to write")->required();
  command->add_option("--grid", arguments.grid, "Ranks in up to three dimensions, as 8x8x4")->capture_default_str();
  command->add_option("--iterations", options.iterations, "Iterations; each ends with a call of MPI_Migrate")
      ->capture_default_str();
  command->add_option("--work", options.work, "Seconds that a rank computes in an iteration")->capture_default_str();
  command->add_option("--bytes", options.bytes, "Bytes of a message")->capture_default_str();
  command->add_option("--rank-bytes", options.rank_bytes, "Bytes to move a rank")->capture_default_str();
  command->add_option("--imbalance", arguments.imbalance, "even, linear, random or block")->capture_default_str();
  command->add_option("--amount", options.amount, "How much ranks differ: 0.5 is half of the mean")
      ->capture_default_str();
  command->callback([&arguments] { generate(arguments); });
}

int main_of(int argc, char** argv) {
  CLI::App app("Simulates runs of over-decomposed MPI programs on machines that need not be there", "weftsim");
  app.require_subcommand(1);
  RunArguments run_arguments;
  GenerateArguments generate_arguments;
  add_run(app, run_arguments);
  add_generate(app, generate_arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fputs(fmt::format("weftsim: {}\n", error.what()).c_str(), stderr);
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace weft::tools

int main(int argc, char** argv) { return weft::tools::main_of(argc, argv); }

// weftsim generate: workloads that no program has run.
#include "sim/generate.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "sim/actions_file.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

struct GenerateArguments {
  std::string kind;
  std::string file;
  std::string grid = "8";
  std::string imbalance = "even";
  sim::GenerateOptions options;
};

void generate(GenerateArguments& arguments) {
  arguments.options.extents = parse_grid("--grid", arguments.grid);
  arguments.options.imbalance = sim::imbalance_named(arguments.imbalance);
  const sim::Workload workload = sim::generate(arguments.kind, arguments.options);
  sim::write_actions(workload, arguments.file);
  std::puts(fmt::format("{}: {} ranks, {} actions, {} templates", arguments.file, workload.streams.size(),
                        sim::expanded_actions(workload), workload.templates.size())
                .c_str());
}

}  // namespace

void add_generate(CLI::App& app) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* const command = app.add_subcommand("generate", "Write a workload that no program has run");
  sim::GenerateOptions& options = arguments->options;
  command->add_option("kind", arguments->kind, "stencil, bsp, ping-pong, ring, lbm, smith-waterman or lu")->required();
  command->add_option("file", arguments->file, "File of actions to write")->required();
  command->add_option("--grid", arguments->grid, "Ranks in up to three dimensions, as 8x8x4")->capture_default_str();
  command
      ->add_option("--iterations", options.iterations,
                   "Iterations, each with a call of MPI_Migrate; lu: order of the matrix")
      ->capture_default_str();
  command->add_option("--work", options.work, "Seconds that a rank computes in an iteration")->capture_default_str();
  command->add_option("--bytes", options.bytes, "Bytes of a message")->capture_default_str();
  command->add_option("--rank-bytes", options.rank_bytes, "Bytes to move a rank")->capture_default_str();
  command->add_flag("!--pinned", options.may_move, "No rank can be moved");
  command->add_option("--first-work", options.first_work, "smith-waterman: --work of the first superstep")
      ->capture_default_str();
  command->add_option("--imbalance", arguments->imbalance, "even, linear, random or block")->capture_default_str();
  command->add_option("--amount", options.amount, "How much ranks differ: 0.5 is half of the mean")
      ->capture_default_str();
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace weft::tools::weftsim

// weftsim generate: writes synthetic workloads, which no program has run.
#include "sim/generate.hpp"

#include <charconv>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>

#include <fmt/format.h>

#include "sim/actions_file.hpp"
#include "sim/compile.hpp"
#include "sim/tile.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

struct GenerateArguments {
  std::string kind;
  std::string file;
  std::string grid = "8";
  std::string imbalance = "even";
  sim::GenerateOptions options;
  std::string recorded;
  std::string recorded_grid;
  sim::TileOptions tile;
};

sim::Workload tiled(GenerateArguments& arguments) {
  if (arguments.recorded.empty() || arguments.recorded_grid.empty()) {
    throw std::invalid_argument("tile needs --recorded and --recorded-grid");
  }
  arguments.tile.fine = parse_grid("--recorded-grid", arguments.recorded_grid);
  arguments.tile.extents = parse_grid("--grid", arguments.grid);
  return sim::tile(sim::read_workload(arguments.recorded), arguments.tile);
}

void generate(GenerateArguments& arguments) {
  arguments.options.extents = parse_grid("--grid", arguments.grid);
  arguments.options.imbalance = sim::imbalance_named(arguments.imbalance);
  const bool is_tile = arguments.kind == "tile";
  const sim::Workload workload = is_tile ? tiled(arguments) : sim::generate(arguments.kind, arguments.options);
  sim::write_actions(workload, arguments.file);
  print(fmt::format("{}: {} ranks, {} actions, {} templates\n", arguments.file, workload.streams.size(),
                    sim::expanded_actions(workload), workload.templates.size()));
  if (is_tile) {
    const sim::TileOptions& tile = arguments.tile;
    print(
        fmt::format("assumed, not recorded: work times {:g}, messages times {:g}, bytes to move times {:g}, "
                    "differences from the mean work times {:g}\n",
                    tile.work, tile.bytes, tile.rank_bytes, tile.contrast));
  }
}

constexpr std::uint64_t kMostCount = 1'000'000'000'000'000;

// Validates a whole number of a size that weftsim can compute with. CLI11 itself would read -5 as 2^64 - 5.
CLI::Validator whole_number() {
  const auto mistake = [](const std::string& text) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool is_right = error == std::errc{} && end == text.data() + text.size() && value <= kMostCount;
    return is_right ? std::string() : fmt::format("expected a whole number up to {}, not {}", kMostCount, text);
  };
  return CLI::Validator(mistake, "");
}

// The options of kind `tile`.
void add_tile_options(CLI::App& command, GenerateArguments& arguments) {
  command.add_option("--recorded", arguments.recorded, "tile: recording or file of actions whose main loop is used");
  command.add_option("--recorded-grid", arguments.recorded_grid,
                     "tile: its ranks in up to three dimensions; --grid may be the same");
  command.add_option("--work-times", arguments.tile.work, "tile: factor of what ranks compute")->capture_default_str();
  command.add_option("--bytes-times", arguments.tile.bytes, "tile: factor of the messages' bytes")
      ->capture_default_str();
  command.add_option("--rank-bytes-times", arguments.tile.rank_bytes, "tile: factor of the bytes to move a rank")
      ->capture_default_str();
  command
      .add_option("--contrast", arguments.tile.contrast,
                  "tile: factor of how far ranks' work in an iteration is from the mean")
      ->capture_default_str();
}

}  // namespace

void add_generate(CLI::App& app) {
  const auto arguments = std::make_shared<GenerateArguments>();
  CLI::App* const command = app.add_subcommand("generate", "Write a workload that no program has run");
  sim::GenerateOptions& options = arguments->options;
  command->add_option("kind", arguments->kind, "stencil, bsp, ping-pong, ring, lbm, smith-waterman, lu or tile")
      ->required();
  command->add_option("file", arguments->file, "File of actions to write")->required()->check(writable_file());
  command->add_option("--grid", arguments->grid, "Ranks in up to three dimensions, as 8x8x4")->capture_default_str();
  command
      ->add_option("--iterations", options.iterations,
                   "Iterations, each with a call of MPI_Migrate; lu: order of the matrix")
      ->check(whole_number())
      ->capture_default_str();
  command->add_option("--work", options.work, "Seconds that a rank computes in an iteration")->capture_default_str();
  command->add_option("--bytes", options.bytes, "Bytes of a message")->check(whole_number())->capture_default_str();
  command->add_option("--rank-bytes", options.rank_bytes, "Bytes to move a rank")
      ->check(whole_number())
      ->capture_default_str();
  command->add_flag("!--pinned", options.may_move, "No rank can be moved");
  command->add_option("--first-work", options.first_work, "smith-waterman: --work of the first superstep")
      ->capture_default_str();
  command->add_option("--imbalance", arguments->imbalance, "even, linear, random or block")->capture_default_str();
  command->add_option("--amount", options.amount, "How much ranks differ: 0.5 is half of the mean")
      ->capture_default_str();
  add_tile_options(*command, *arguments);
  command->callback([arguments] { generate(*arguments); });
}

}  // namespace weft::tools::weftsim

// weftsim aggregate: makes a workload with fewer ranks.
#include "sim/aggregate.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "sim/actions_file.hpp"
#include "sim/compile.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

struct AggregateArguments {
  std::string fine;
  std::string file;
  std::string grid;
  std::string blocks;
  std::string map;
  std::string real;
  bool last_fastest = false;
};

std::vector<std::uint32_t> groups_of(const AggregateArguments& arguments) {
  if (arguments.map.empty() == arguments.grid.empty() || arguments.grid.empty() != arguments.blocks.empty()) {
    throw std::invalid_argument("expected --grid with --blocks, or --map");
  }
  if (!arguments.map.empty()) {
    return sim::read_groups(arguments.map);
  }
  return sim::groups_of({.extents = parse_grid("--grid", arguments.grid),
                         .blocks = parse_grid("--blocks", arguments.blocks),
                         .last_fastest = arguments.last_fastest});
}

void aggregate(const AggregateArguments& arguments) {
  const sim::Workload coarse = sim::aggregate(sim::read_workload(arguments.fine), groups_of(arguments));
  sim::write_actions(coarse, arguments.file);
  print(fmt::format("{}: {} ranks, {} actions, {} templates\n", arguments.file, coarse.streams.size(),
                    sim::expanded_actions(coarse), coarse.templates.size()));
  if (!arguments.real.empty()) {
    const sim::AdditivityError error = sim::additivity_error(coarse, sim::read_workload(arguments.real));
    print(
        fmt::format("additivity error against {}: all work {:+.2f} %, rank furthest off {:.2f} %, root mean square "
                    "by rank and call of MPI_Migrate {:.2f} %\n",
                    arguments.real, 100 * error.total, 100 * error.rank, 100 * error.rms));
  }
}

}  // namespace

void add_aggregate(CLI::App& app) {
  const auto arguments = std::make_shared<AggregateArguments>();
  CLI::App* const command =
      app.add_subcommand("aggregate", "Make a coarser workload, each of whose ranks does what a group of ranks did");
  command->add_option("fine", arguments->fine, "File of actions, or folder of a recording")->required();
  command->add_option("file", arguments->file, "File of actions to write")->required()->check(writable_file());
  command->add_option("--grid", arguments->grid, "Ranks in up to three dimensions, as 8x8x4");
  command->add_option("--blocks", arguments->blocks, "Ranks of a block in each of them, as 2x2x1");
  command->add_flag("--last-fastest", arguments->last_fastest,
                    "Ranks are numbered as MPI_Cart_create does it: along the last dimension first");
  command->add_option("--map", arguments->map, "File with the group of each rank, instead of a grid");
  command->add_option("--real", arguments->real, "Recording of a run with as many ranks: say how far work is from its");
  command->callback([arguments] { aggregate(*arguments); });
}

}  // namespace weft::tools::weftsim

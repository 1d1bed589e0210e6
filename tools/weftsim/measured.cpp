// weftsim measured: writes what a recorded run itself took, in the form of a simulated result.
#include "sim/measured.hpp"

#include <memory>
#include <string>

#include <fmt/format.h>

#include "sim/report.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {

void add_measured(CLI::App& app) {
  struct Arguments {
    std::string folder;
    std::string file;
  };
  const auto arguments = std::make_shared<Arguments>();
  CLI::App* const command =
      app.add_subcommand("measured", "Say how long a recorded run took, as compare and report take a real run");
  command->add_option("folder", arguments->folder, "The recording")->required();
  command->add_option("file", arguments->file, "JSON file to write")->required()->check(writable_file());
  command->callback([arguments] {
    const sim::MeasuredRun run = sim::measured_run(arguments->folder);
    write_file(arguments->file, sim::result_json(run.result, run.platform));
    print(fmt::format("{}: {:.6f} s, {} calls of MPI_Migrate\n", arguments->file, run.result.makespan,
                      run.result.iterations.size()));
  });
}

}  // namespace weft::tools::weftsim

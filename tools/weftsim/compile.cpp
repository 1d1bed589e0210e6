// weftsim compile: makes a workload from a recording.
#include <filesystem>
#include <memory>
#include <string>

#include <fmt/format.h>

#include "sim/actions_file.hpp"
#include "sim/compile.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

struct CompileArguments {
  std::string folder;
  std::string file;
  sim::CompileOptions options;
};

void compile(const CompileArguments& arguments) {
  const sim::Compiled compiled = sim::compile_recording(arguments.folder, arguments.options);
  sim::write_actions(compiled.workload, arguments.file);
  print(fmt::format("{}: {} bytes, {}", arguments.file, std::filesystem::file_size(arguments.file),
                    sim::compile_summary(compiled)));
}

}  // namespace

void add_compile(CLI::App& app) {
  const auto arguments = std::make_shared<CompileArguments>();
  CLI::App* const command = app.add_subcommand("compile", "Make a workload of what weftrun --record has recorded");
  command->add_option("folder", arguments->folder, "The recording")->required();
  command->add_option("file", arguments->file, "File of actions to write")->required()->check(writable_file());
  command->add_flag("--recorded-loads", arguments->options.recorded_loads,
                    "Balance by the loads that were charged in the recorded run, not by the simulated ones");
  command->callback([arguments] { compile(*arguments); });
}

}  // namespace weft::tools::weftsim

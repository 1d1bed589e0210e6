// weftsim compare: prints results side by side.
#include "sim/compare.hpp"

#include <memory>
#include <string>
#include <vector>

#include "sim/platform_file.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

void compare(const std::vector<std::string>& names) {
  std::vector<sim::NamedText> files;
  for (const std::string& name : names) {
    files.push_back({name, sim::text_of_file(name)});
  }
  print(sim::compare(files));
}

}  // namespace

void add_compare(CLI::App& app) {
  const auto names = std::make_shared<std::vector<std::string>>();
  CLI::App* const command = app.add_subcommand("compare", "Set results side by side; the first one is the reference");
  command->add_option("files", *names, "What run --json or sweep --json has written, or a real run in the same form")
      ->required()
      ->expected(2, -1);
  command->callback([names] { compare(*names); });
}

}  // namespace weft::tools::weftsim

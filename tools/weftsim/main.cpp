// weftsim: simulates runs. Its subcommands are in the files of their names.
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>

#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {

void write_file(const std::string& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  file.close();
  if (!file) {
    throw std::runtime_error(path + ": cannot be written");
  }
}

namespace {

int main_of(int argc, char** argv) {
  CLI::App app("Simulates runs of over-decomposed MPI programs on machines that need not be there", "weftsim");
  app.require_subcommand(1);
  add_compile(app);
  add_run(app);
  add_report(app);
  add_generate(app);
  add_calibrate(app);
  add_sweep(app);
  add_best(app);
  add_compare(app);
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
}  // namespace weft::tools::weftsim

int main(int argc, char** argv) { return weft::tools::weftsim::main_of(argc, argv); }

// weftsim report: writes an HTML page with figures of results.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/html_report.hpp"
#include "tools/weftsim/commands.hpp"

namespace weft::tools::weftsim {
namespace {

struct ReportArguments {
  std::string page;
  std::vector<std::string> simulated;
  std::vector<std::string> real;
};

// `text` is "LABEL=FILE" or "FILE"; without a label the strategy is the label.
sim::ReportedRun labelled_run(const std::string& text, bool real) {
  const std::size_t equals = text.find('=');
  sim::ReportedRun run = sim::read_run(equals == std::string::npos ? text : text.substr(equals + 1));
  if (equals != std::string::npos) {
    run.label = text.substr(0, equals);
  }
  run.real = real;
  return run;
}

void report(const ReportArguments& arguments) {
  std::vector<sim::ReportedRun> runs;
  for (const std::string& text : arguments.real) {
    runs.push_back(labelled_run(text, true));
  }
  for (const std::string& text : arguments.simulated) {
    runs.push_back(labelled_run(text, false));
  }
  if (runs.empty()) {
    throw std::invalid_argument("report: expected the file of a run (weftsim run --json FILE) behind the page's name");
  }
  write_file(arguments.page, sim::html_report(runs));
}

}  // namespace

void add_report(CLI::App& app) {
  const auto arguments = std::make_shared<ReportArguments>();
  CLI::App* const command = app.add_subcommand("report", "Write a page with the pictures of runs (HTML with SVG)");
  command->add_option("page", arguments->page, "The HTML file")->required()->check(writable_file());
  command->add_option("results", arguments->simulated, "Results of weftsim run --json: [LABEL=]FILE, a column each");
  command->add_option("--real", arguments->real, "Results of real runs, above those with the same LABEL");
  command->callback([arguments] { report(*arguments); });
}

}  // namespace weft::tools::weftsim

// weft stacks: shows what the ranks of a job do, and where.
#include <memory>
#include <string>

#include "tools/weft/commands.hpp"
#include "tools/weft/job_client.hpp"
#include "tools/weft/stacks_report.hpp"

namespace weft::tools::weft_tool {
namespace {

struct StacksOptions {
  std::string job;
  bool full = false;
  bool json = false;
};

void run_stacks(const StacksOptions& options) {
  JobClient job(options.job);
  const StacksReport report = query_stacks(job);
  if (options.json) {
    print_json(report_json(report));
  } else {
    print(report_text(report, options.full));
  }
}

}  // namespace

void add_stacks(CLI::App& app) {
  CLI::App* const command =
      app.add_subcommand("stacks", "Groups a job's ranks by what they do and where: by call and backtrace");
  const auto options = std::make_shared<StacksOptions>();
  command->add_option("JOB", options->job, "A name that weft ps lists (the only job of this host)");
  command->add_flag("--full", options->full, "The whole backtrace of each group");
  command->add_flag("--json", options->json, "All of it, as JSON");
  command->callback([options] { run_stacks(*options); });
}

}  // namespace weft::tools::weft_tool

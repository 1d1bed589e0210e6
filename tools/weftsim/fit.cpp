// weftsim fit: fits a platform's cold caches to a recorded run.
#include "sim/fit.hpp"

#include <memory>
#include <stdexcept>
#include <string>

#include <fmt/format.h>

#include "sim/platform_file.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/progress.hpp"

namespace weft::tools::weftsim {
namespace {

struct FitArguments {
  std::string recording;
  std::string platform;
  std::string file;
  bool quiet = false;
};

void fit(const FitArguments& arguments) {
  Progress progress("replays", arguments.quiet);
  const sim::ColdFit fit = sim::fit_cold_caches(arguments.recording, sim::PlatformFile(arguments.platform),
                                                [&](unsigned done) { progress.show(done, sim::kMostFitReplays); });
  progress.end();
  const auto off = [&](sim::Seconds seconds) { return 100.0 * (seconds / fit.recorded - 1.0); };
  if (!fit.is_determined) {
    throw std::runtime_error(fmt::format(
        "{} does not tell what cold caches cost: the run took {:.6f} s, its replay {:.6f} s ({:+.2f} %), and no factor "
        "from {} to {} makes up for that",
        arguments.recording, fit.recorded, fit.before, off(fit.before), sim::kLeastColdFactor, sim::kMostColdFactor));
  }
  write_file(arguments.file, sim::with_cold_factor(sim::text_of_file(arguments.platform), fit.factor));
  print(fmt::format(
      "{}: cold_caches × {:.3g}\nthe run took {:.6f} s, its replay {:.6f} s ({:+.2f} %), with the factor {:.6f} s "
      "({:+.2f} %)\n",
      arguments.file, fit.factor, fit.recorded, fit.before, off(fit.before), fit.after, off(fit.after)));
}

}  // namespace

void add_fit(CLI::App& app) {
  const auto arguments = std::make_shared<FitArguments>();
  CLI::App* const command = app.add_subcommand(
      "fit", "Fit what MPI costs after computing to a recorded run, for predictions of other settings");
  command->add_option("recording", arguments->recording, "Folder of a recording without balancing")->required();
  command->add_option("platform", arguments->platform, "File that describes the machine it was made on")->required();
  command->add_option("-o,--output", arguments->file, "Platform file to write")->required()->check(writable_file());
  command->add_flag("-q,--quiet", arguments->quiet, "Show no progress");
  command->callback([arguments] { fit(*arguments); });
}

}  // namespace weft::tools::weftsim

// weftsim predict: predicts how long a profiled program takes on machines of a catalogue, and what that costs.
#include <bit>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "predict/prediction_report.hpp"
#include "predict/replay_predictor.hpp"
#include "sim/platform_file.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/progress.hpp"

namespace weft::tools::weftsim {
namespace {

struct PredictArguments {
  std::vector<std::string> recordings;
  std::string catalogue;
  std::string profiled_on;
  std::string json;
  std::string page;
  std::string platform;
  bool replay = false;
  bool quiet = false;
  predict::PredictionOptions options;
};

struct RecordingArgument {
  std::string folder;
  predict::Machine machine;
};

// `text`: FOLDER, or FOLDER@MACHINE. A folder whose own name has an @ is found, too.
RecordingArgument parse_recording(const std::string& text, const predict::Machine& usual,
                                  const predict::Catalogue& catalogue) {
  const std::size_t at = text.rfind('@');
  if (at == std::string::npos || std::filesystem::exists(text)) {
    return {.folder = text, .machine = usual};
  }
  return {.folder = text.substr(0, at), .machine = catalogue.named(text.substr(at + 1))};
}

std::vector<predict::Observation> read_observations(const PredictArguments& arguments,
                                                    const predict::Catalogue& catalogue) {
  const predict::Machine usual =
      arguments.profiled_on.empty() ? predict::Machine{} : catalogue.named(arguments.profiled_on);
  std::vector<predict::Observation> observations;
  Progress progress("recordings", arguments.quiet || arguments.recordings.size() < 2);
  for (const std::string& text : arguments.recordings) {
    const RecordingArgument recording = parse_recording(text, usual, catalogue);
    progress.show(observations.size(), arguments.recordings.size(), recording.folder);
    observations.push_back(predict::observation_of(predict::read_profile(recording.folder), recording.machine));
  }
  progress.show(observations.size(), arguments.recordings.size());
  progress.end();
  return observations;
}

// The most replays that there can be: two of each profile, which is left out with its size and with its machine, and
// one on each machine with 1, 2, 4, ... instances.
std::size_t most_replays(const PredictArguments& arguments, const predict::Catalogue& catalogue) {
  std::size_t replays = 2 * arguments.recordings.size();
  for (const predict::Machine& machine : catalogue.machines) {
    replays += static_cast<std::size_t>(std::bit_width(machine.most_instances)) + 1;
  }
  return replays;
}

void predict_runs(const PredictArguments& arguments) {
  const predict::Catalogue catalogue = predict::read_catalogue(arguments.catalogue);
  std::vector<predict::Observation> observations = read_observations(arguments, catalogue);
  predict::PredictionOptions options = arguments.options;
  Progress progress("replays at most", arguments.quiet || !arguments.replay);
  if (arguments.replay) {
    const sim::Platform measured =
        arguments.platform.empty() ? sim::make_platform({}) : sim::read_platform(arguments.platform);
    const std::size_t all = most_replays(arguments, catalogue);
    options.more = {predict::replay_kind(measured, [&progress, all](std::size_t done) { progress.show(done, all); })};
  }
  const predict::Prediction prediction = predict::predict(std::move(observations), catalogue, options);
  progress.end();
  if (!arguments.json.empty()) {
    write_file(arguments.json, predict::prediction_json(prediction));
  }
  if (!arguments.page.empty()) {
    write_file(arguments.page, predict::prediction_page(prediction));
  }
  print(predict::prediction_table(prediction));
}

}  // namespace

void add_predict(CLI::App& app) {
  const auto arguments = std::make_shared<PredictArguments>();
  CLI::App* const command =
      app.add_subcommand("predict", "Predict time and cost on machines of a catalogue, from recordings of a few sizes");
  command
      ->add_option(
          "recordings", arguments->recordings,
          "Recordings of one program with three or more sizes; FOLDER@MACHINE: on that machine of the catalogue")
      ->required();
  command->add_option("--catalogue", arguments->catalogue, "File that describes machines and their prices")->required();
  command->add_option(
      "--profiled-on", arguments->profiled_on,
      "Machine of the catalogue that recordings without @MACHINE come from; without it, one of speed 1");
  command
      ->add_option("--model", arguments->options.model,
                   "Whose times decide; least-error: those of the model that is off least")
      ->capture_default_str();
  command->add_option("--ratio", arguments->options.ratios, "Ranks on each core, to choose from")
      ->delimiter(',')
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--ranks", arguments->options.ranks, "Numbers of ranks that the program can have; usually any")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 24));
  command->add_flag("--replay", arguments->replay, "Replay recordings, too, as another model");
  command->add_option("--platform", arguments->platform,
                      "File of weftsim calibrate for --replay: what messages cost within a host");
  command->add_option("--json", arguments->json, "Write all of it to this file")->check(writable_file());
  command->add_option("--page", arguments->page, "Write an HTML page with charts to this file")->check(writable_file());
  command->add_flag("-q,--quiet", arguments->quiet, "Say nothing of the progress");
  command->callback([arguments] { predict_runs(*arguments); });
}

}  // namespace weft::tools::weftsim

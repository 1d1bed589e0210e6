#include "sim/compare.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace weft::sim {
namespace {

// The result of a run, or of one setting of a sweep.
struct ComparedRun {
  double makespan = 0.0;
  double spread = 0.0;  // of the makespan; real runs have one
  std::optional<double> imbalance;
  std::vector<double> workers;  // busy seconds, by worker
  std::vector<double> loads;    // by iteration, then by worker
};

struct ComparedSetting {
  std::string key;
  ComparedRun run;
};

struct ComparedFile {
  std::string name;
  bool is_sweep = false;
  ComparedRun run;
  std::vector<ComparedSetting> settings;
};

std::string percent(double part) { return fmt::format("{:+.2f}%", 100.0 * part); }

double imbalance_of_workers(const std::vector<double>& seconds) {
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return sum > 0.0 ? std::ranges::max(seconds) * static_cast<double>(seconds.size()) / sum : 1.0;
}

ComparedRun read_run(const nlohmann::json& result) {
  ComparedRun run{.makespan = result.at("makespan_s").get<double>(),
                  .spread = result.value("spread_s", 0.0),
                  .imbalance = {},
                  .workers = {},
                  .loads = {}};
  for (const nlohmann::json& worker : result.value("workers", nlohmann::json::array())) {
    if (worker.is_object()) {
      run.workers.push_back(worker.at("busy_s").get<double>());
    }
  }
  if (!run.workers.empty()) {
    run.imbalance = imbalance_of_workers(run.workers);
  }
  for (const nlohmann::json& iteration : result.value("iterations", nlohmann::json::array())) {
    for (const nlohmann::json& load : iteration) {
      run.loads.push_back(load.get<double>());
    }
  }
  return run;
}

// Identifies a setting: without its results, and without what real runs do not have, such as a network model.
std::string key_of(const nlohmann::json& setting) {
  std::string key;
  for (const char* const name : {"ranks", "hosts", "processes", "workers", "lb", "lb_when", "lb_model"}) {
    if (setting.contains(name)) {
      const nlohmann::json& value = setting.at(name);
      key += (key.empty() ? "" : " ") +
             (value.is_string() ? value.get<std::string>() : fmt::format("{}={}", name, value.dump()));
    }
  }
  return key;
}

ComparedFile read_file(const NamedText& file) {
  try {
    const nlohmann::json content = nlohmann::json::parse(file.text);
    ComparedFile read{.name = file.name, .is_sweep = content.contains("weft_sweep"), .run = {}, .settings = {}};
    if (!read.is_sweep) {
      read.run = read_run(content);
      return read;
    }
    for (const nlohmann::json& setting : content.at("settings")) {
      nlohmann::json result = setting;
      result.erase("workers");  // in a sweep a number, not an array
      read.settings.push_back({key_of(setting), read_run(result)});
    }
    return read;
  } catch (const nlohmann::json::exception& error) {
    throw CompareError(
        fmt::format("{}: not a result of weftsim run --json or weftsim sweep --json: {}", file.name, error.what()));
  }
}

std::string compare_runs(const std::vector<ComparedFile>& files) {
  std::size_t width = 6;
  for (const ComparedFile& file : files) {
    width = std::max(width, file.name.size());
  }
  const ComparedRun& reference = files.front().run;
  std::string text = fmt::format("{:<{}} {:>14} {:>9} {:>10} {:>14} {:>14}\n", "result", width, "makespan s", "error",
                                 "imbalance", "workers NRMSE", "loads NRMSE");
  const auto beside = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.empty() || a.size() != b.size() ? std::string("-") : fmt::format("{:.2f}%", 100.0 * nrmse(a, b));
  };
  for (const ComparedFile& file : files) {
    const ComparedRun& run = file.run;
    const bool first = &file == files.data();
    text += fmt::format("{:<{}} {:>14.6f} {:>9} {:>10} {:>14} {:>14}\n", file.name, width, run.makespan,
                        first ? "" : percent(run.makespan / reference.makespan - 1.0),
                        run.imbalance ? fmt::format("{:.3f}", *run.imbalance) : "-",
                        first ? "" : beside(reference.workers, run.workers),
                        first ? "" : beside(reference.loads, run.loads));
  }
  return text;
}

const ComparedSetting* find_setting(const ComparedFile& file, const std::string& key) {
  const auto found = std::ranges::find(file.settings, key, &ComparedSetting::key);
  return found == file.settings.end() ? nullptr : &*found;
}

// Settings of the reference that all files have.
std::vector<std::string> common_settings(const std::vector<ComparedFile>& files) {
  std::vector<std::string> keys;
  for (const ComparedSetting& setting : files.front().settings) {
    const bool everywhere = std::ranges::all_of(
        files, [&](const ComparedFile& file) { return find_setting(file, setting.key) != nullptr; });
    if (everywhere && std::ranges::find(keys, setting.key) == keys.end()) {
      keys.push_back(setting.key);
    }
  }
  return keys;
}

// How well a file's predictions agree with the reference. The last value is the loss by the file's choice: the time in
// the reference of the setting that the file finds best, relative to the best time there.
std::string agreement(const ComparedFile& reference, const ComparedFile& file, const std::vector<std::string>& keys) {
  std::vector<double> real;
  std::vector<double> spreads;
  std::vector<double> predicted;
  double squares = 0.0;
  for (const std::string& key : keys) {
    real.push_back(find_setting(reference, key)->run.makespan);
    spreads.push_back(find_setting(reference, key)->run.spread);
    predicted.push_back(find_setting(file, key)->run.makespan);
    squares += std::pow(predicted.back() / real.back() - 1.0, 2);
  }
  const KendallTau correlation = kendall_tau(real, spreads, predicted);
  const auto chosen = static_cast<std::size_t>(std::ranges::min_element(predicted) - predicted.begin());
  return fmt::format(
      "{}: errors of {:.2f} % (root of the mean square), Kendall's tau {:.3f} over {} pairs; the setting it chooses, "
      "{}, "
      "takes {} of the best one's time\n",
      file.name, 100.0 * std::sqrt(squares / static_cast<double>(keys.size())), correlation.tau, correlation.pairs,
      keys[chosen], percent(real[chosen] / std::ranges::min(real) - 1.0));
}

std::string compare_sweeps(const std::vector<ComparedFile>& files) {
  const std::vector<std::string> keys = common_settings(files);
  if (keys.empty()) {
    throw CompareError("there is no setting that all files have");
  }
  const std::size_t width = std::ranges::max(keys, {}, &std::string::size).size();
  std::string text = fmt::format("{:<{}}", "setting", width);
  for (const ComparedFile& file : files) {
    text += fmt::format(" {:>22}", file.name.size() > 22 ? file.name.substr(file.name.size() - 22) : file.name);
  }
  for (const std::string& key : keys) {
    const double reference = find_setting(files.front(), key)->run.makespan;
    text += fmt::format("\n{:<{}}", key, width);
    for (const ComparedFile& file : files) {
      const double makespan = find_setting(file, key)->run.makespan;
      text +=
          fmt::format(" {:>12.6f} {:>9}", makespan, &file == files.data() ? "" : percent(makespan / reference - 1.0));
    }
  }
  text += "\n";
  for (std::size_t i = 1; i < files.size(); ++i) {
    text += agreement(files.front(), files[i], keys);
  }
  return text;
}

}  // namespace

double nrmse(std::span<const double> reference, std::span<const double> values) {
  double squares = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    squares += (values[i] - reference[i]) * (values[i] - reference[i]);
    sum += reference[i];
  }
  const auto count = static_cast<double>(reference.size());
  return std::sqrt(squares / count) / (sum / count);
}

KendallTau kendall_tau(std::span<const double> reference, std::span<const double> spreads,
                       std::span<const double> values) {
  KendallTau result;
  double sum = 0.0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    for (std::size_t k = 0; k < i; ++k) {
      const double real = reference[i] - reference[k];
      if (std::abs(real) <= std::max(spreads[i], spreads[k])) {
        continue;
      }
      const double predicted = values[i] - values[k];
      sum += predicted == 0.0 ? 0.0 : (predicted > 0.0) == (real > 0.0) ? 1.0 : -1.0;
      ++result.pairs;
    }
  }
  result.tau = result.pairs != 0 ? sum / static_cast<double>(result.pairs) : 0.0;
  return result;
}

std::string compare(std::span<const NamedText> files) {
  std::vector<ComparedFile> read;
  for (const NamedText& file : files) {
    read.push_back(read_file(file));
    if (read.back().is_sweep != read.front().is_sweep) {
      throw CompareError(
          fmt::format("{} and {} are results of different kinds: a run and a sweep", files.front().name, file.name));
    }
  }
  return read.front().is_sweep ? compare_sweeps(read) : compare_runs(read);
}

}  // namespace weft::sim

// weftsim calibrate: runs the probes (probe.c) under the weftrun beside weftsim, and writes a platform file.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/executable.hpp"
#include "base/host_name.hpp"
#include "base/quotes.hpp"
#include "sim/calibration.hpp"
#include "sim/platform_file.hpp"
#include "tools/weftsim/commands.hpp"
#include "tools/weftsim/progress.hpp"
#include "tools/weftsim/time_slice.hpp"

namespace weft::tools::weftsim {
namespace {

namespace fs = std::filesystem;

struct CalibrateArguments {
  std::string output = "platform.json";
  std::string relative_to;
  std::string hosts;  // two names with a comma between; empty: this host alone
  std::string eager = "16384";
  std::uint32_t repeats = 5;
  bool quick = false;
  bool quiet = false;
};

// One run of the probe program.
struct Probe {
  std::string name;     // in the progress line
  std::string options;  // of weftrun
  std::string what;     // what to time: an argument of probe.c
  double ms = 3;        // of each timing; if is_cold, of computing between two calls
  bool is_cold = false;
  int rounds = 4;  // in which everything is timed once
};

// The beginning of a shell command that runs without the user's settings of weftrun, which could add balancing or
// traces to the probes, or change their output. It keeps those without which processes may not start or reach each
// other here.
std::string without_settings() {
  constexpr std::array<std::string_view, 4> kKept{"WEFT_LAUNCHER_AGENT", "WEFT_NET", "WEFT_REGION_BASE",
                                                  "WEFT_REGION_SIZE"};
  std::string command = "env ";
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    const std::string_view name = text.substr(0, text.find('='));
    if (name.starts_with("WEFT_") && std::ranges::find(kKept, name) == kKept.end()) {
      command += fmt::format("-u {} ", base::shell_word(std::string(name)));
    }
  }
  return command;
}

// Runs the probe program of the installation, or of the build tree, that weftsim belongs to.
class Prober {
 public:
  explicit Prober(const CalibrateArguments& arguments) : arguments_(arguments) {
    const fs::path bin = base::own_executable().parent_path();
    weftrun_ = (bin / "weftrun").string();
    program_ = (bin.parent_path() / "lib/weft/weftsim_probe").string();
    for (const std::string& file : {weftrun_, program_}) {
      if (!fs::exists(file)) {
        throw std::runtime_error(fmt::format("there is no {}; calibrate needs an installed Weft around it", file));
      }
    }
  }

  [[nodiscard]] sim::ProbeOutput run(const Probe& probe) const {
    const std::string line = fmt::format("{} -q --timeout 300 --eager {} {} {} {} {} {} {}", base::shell_word(weftrun_),
                                         base::shell_word(arguments_.eager), probe.options, base::shell_word(program_),
                                         probe.what, arguments_.quick ? 1 : probe.rounds,
                                         arguments_.quick && !probe.is_cold ? 1 : probe.ms, arguments_.eager);
    return sim::parse_probe(output_of(without_settings() + line));
  }

 private:
  static std::string output_of(const std::string& line) {
    FILE* const pipe = ::popen(line.c_str(), "r");
    if (pipe == nullptr) {
      throw std::runtime_error("cannot start " + line + ": " + std::strerror(errno));
    }
    std::string text;
    std::array<char, 4096> part{};
    for (std::size_t got = 0; (got = std::fread(part.data(), 1, part.size(), pipe)) != 0;) {
      text.append(part.data(), got);
    }
    const int status = ::pclose(pipe);
    if (status != 0) {
      throw std::runtime_error(fmt::format("expected exit code 0, not {}, of {}",
                                           WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), line));
    }
    return text;
  }

  const CalibrateArguments& arguments_;
  std::string weftrun_;
  std::string program_;
};

// Microseconds that ranks compute between MPI calls: 0 for comparison, then the times of the platform's `cold_caches`.
constexpr std::array<double, 5> kComputingBetween{0, 10, 100, 1000, 10000};

// Ranks on each worker for collective calls, which are timed on one worker and on all.
constexpr std::array<std::uint32_t, 3> kRatios{2, 8, 32};

enum ProbeNumber : std::size_t {
  kComputing,
  kSameWorker,
  kSameNuma,
  kOtherNuma,
  kProcesses,
  kSteps,
  kCold,
  kCollectives = kCold + kComputingBetween.size(),
  kHosts = kCollectives + 2 * kRatios.size()
};

// Pairs of workers need at least two workers. On a machine with one core these share the core, and the figures show it.
std::vector<Probe> probes_of(std::uint32_t cores, const std::string& hosts) {
  const std::uint32_t workers = std::max(cores, 2U);
  const std::string one_each = fmt::format("-n {} --workers {} --processes 1", workers, workers);
  std::vector<Probe> probes{
      {"computing", fmt::format("-n {} --workers {} --processes 1", cores, cores), "compute", 20},
      {"messages of one worker", "-n 2 --workers 1 --processes 1", "pair"},
      {"messages within a NUMA node", one_each, "pair"},
      {"messages between NUMA nodes", one_each, "numa"},
      {"messages between processes", "-n 2 --workers 2 --processes 2", "pair"},
      {"balancing steps", fmt::format("-n {} --workers {} --processes 1 --lb rotate", 8 * workers, workers), "balance",
       20},
  };
  for (const double us : kComputingBetween) {
    probes.push_back({fmt::format("calls after {} us of computing", us),
                      fmt::format("-n {} --workers {} --processes 1", 2 * workers, workers), "cold", us * 1e-3, true,
                      1});
  }
  for (const std::uint32_t with : {1U, workers}) {
    for (const std::uint32_t ratio : kRatios) {
      probes.push_back({fmt::format("collective calls of {} ranks on {} workers", ratio * with, with),
                        fmt::format("-n {} --workers {} --processes 1", ratio * with, with), "collective", 5});
    }
  }
  if (!hosts.empty()) {
    probes.push_back({"messages between hosts",
                      fmt::format("-n 4 --workers 2 --processes 2 --hosts {}", base::shell_word(hosts)), "hosts", 200,
                      false, 1});
  }
  return probes;
}

// Runs all probes. The result has the rounds of all repeats, by probe.
std::vector<sim::ProbeOutput> run_all(const Prober& prober, const std::vector<Probe>& probes,
                                      const CalibrateArguments& arguments) {
  Progress progress("probes", arguments.quiet);
  std::vector<sim::ProbeOutput> outputs(probes.size());
  const std::size_t all = probes.size() * arguments.repeats;
  for (std::uint32_t repeat = 0; repeat < arguments.repeats; ++repeat) {
    for (std::size_t i = 0; i < probes.size(); ++i) {
      progress.show(repeat * probes.size() + i, all, probes[i].name);
      sim::ProbeOutput output = prober.run(probes[i]);
      auto& rounds = outputs[i].rounds;
      output.rounds.insert(output.rounds.begin(), rounds.begin(), rounds.end());
      outputs[i] = std::move(output);
    }
  }
  progress.show(all, all);
  return outputs;
}

sim::LinkFigures link_of(const sim::ProbeOutput& output, sim::LinkKind kind, std::uint64_t eager) {
  return sim::fit_link(output.rounds, kind, eager);
}

sim::Calibration calibration_of(const std::vector<sim::ProbeOutput>& outputs, std::uint64_t eager) {
  sim::Calibration calibration;
  calibration.cores = outputs[kComputing].workers;
  calibration.numa_nodes = outputs[kComputing].numa_nodes;
  calibration.eager_limit = eager;
  std::vector<double> computing;
  for (const auto& round : outputs[kComputing].rounds) {
    for (const sim::Timing& timing : round) {
      computing.push_back(timing.seconds);
    }
  }
  calibration.multiply_add = sim::figure_of(computing);
  const bool one_node = outputs[kOtherNuma].rounds.empty();
  calibration.links = {link_of(outputs[kSameWorker], sim::LinkKind::same_worker, eager),
                       link_of(outputs[kSameNuma], sim::LinkKind::in_memory, eager),
                       link_of(outputs[one_node ? kSameNuma : kOtherNuma], sim::LinkKind::in_memory, eager),
                       link_of(outputs[kProcesses], sim::LinkKind::between_processes, eager)};
  const sim::Seconds switch_cost = calibration.switch_cost().value;
  calibration.steps = sim::fit_steps(outputs[kSteps], switch_cost);
  for (std::size_t i = 1; i < kComputingBetween.size(); ++i) {
    calibration.cold.push_back(sim::fit_cold(outputs[kCold + i], outputs[kCold], kComputingBetween.at(i) * 1e-6));
  }
  calibration.in_memory =
      sim::fit_collectives(std::span(outputs).subspan(kCollectives, kHosts - kCollectives), switch_cost);
  if (outputs.size() > kHosts) {
    calibration.links.push_back(link_of(outputs[kHosts], sim::LinkKind::between_hosts, eager));
  }
  std::vector<double> spreads;
  for (const ProbeNumber probe : {kSameWorker, kSameNuma, kProcesses}) {
    spreads.push_back(sim::typical_spread(outputs[probe].rounds));
  }
  calibration.links_spread = sim::figure_of(spreads).value;
  return calibration;
}

// The number of multiplications and additions that a core of the other machine does in a microsecond; 0: there is no
// other machine.
double rate_of_other(const std::string& file) {
  const double rate = file.empty() ? 0.0 : sim::read_platform(file).multiply_adds_per_us;
  if (!file.empty() && rate <= 0.0) {
    throw std::runtime_error(file + ": calibration.multiply_adds_per_us is missing: weftsim calibrate writes it");
  }
  return rate;
}

// Called before the measurement, so that the error does not come after minutes. Does not change the file.
void require_writable(const std::string& file) {
  if (!std::ofstream(file, std::ios::app)) {
    throw std::runtime_error(file + ": cannot be written: " + std::strerror(errno));
  }
}

CLI::Validator two_hosts() {
  return {[](const std::string& hosts) {
            const bool are_two =
                std::ranges::count(hosts, ',') == 1 && !hosts.starts_with(',') && !hosts.ends_with(',');
            return are_two ? "" : "expected two hosts, HERE,OTHER, not '" + hosts + "'";
          },
          "HERE,OTHER"};
}

void calibrate(CalibrateArguments& arguments) {
  arguments.repeats = arguments.quick ? 1 : arguments.repeats;
  const Prober prober(arguments);
  const double other_rate = rate_of_other(arguments.relative_to);
  require_writable(arguments.output);
  const std::uint32_t cores = prober.run({"cores", "--processes 1", "compute"}).workers;
  sim::Calibration calibration =
      calibration_of(run_all(prober, probes_of(cores, arguments.hosts), arguments), std::stoull(arguments.eager));
  calibration.host = base::host_name();
  calibration.time_slice = time_slice(arguments.quick ? 20 : 100);
  if (other_rate > 0.0) {
    calibration.speed = 1e-6 / calibration.multiply_add.value / other_rate;
  }
  print(sim::calibration_table(calibration));
  write_file(arguments.output, sim::platform_json(calibration));
}

}  // namespace

void add_calibrate(CLI::App& app) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* const command = app.add_subcommand("calibrate", "Measure this machine and describe it as a platform");
  command->add_option("-o,--output", arguments->output, "File to write")->capture_default_str()->check(writable_file());
  command->add_option("--relative-to", arguments->relative_to,
                      "Platform of the machine whose cores have speed 1, as calibrate has written it");
  command
      ->add_option("--hosts", arguments->hosts,
                   "HERE,OTHER: also messages between these two hosts, taken to be alike, which weftrun reaches as "
                   "WEFT_LAUNCHER_AGENT says")
      ->check(two_hosts());
  command->add_option("--eager", arguments->eager, "Bytes, as weftrun --eager has them: longer messages are announced")
      ->check(CLI::Range(0, 1 << 20))
      ->capture_default_str();
  command->add_option("--repeats", arguments->repeats, "Times that each probe runs")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_flag("--quick", arguments->quick, "Each probe once and briefly: figures are rough");
  command->add_flag("-q,--quiet", arguments->quiet, "Say nothing of the progress");
  command->callback([arguments] { calibrate(*arguments); });
}

}  // namespace weft::tools::weftsim

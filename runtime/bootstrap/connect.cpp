// Finds out which launcher has started this process (Weft's own, PMIx, PMI-1 or none), and connects to it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/say.hpp"
#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/launcher_address.hpp"
#include "runtime/bootstrap/launcher_client.hpp"
#include "runtime/bootstrap/pmi1.hpp"
#include "runtime/bootstrap/pmix.hpp"

// The environment's array, as the C library keeps it.
extern "C" char** environ;

namespace weft::bootstrap {
namespace {

// A job of one process.
class SingleProcess final : public Bootstrap {
 public:
  ProcessId process() const override { return ProcessId{0}; }
  std::uint32_t processes() const override { return 1; }
  void put(std::string_view key, std::string_view value) override { staged_[std::string(key)] = value; }
  void fence() override {
    for (auto& [key, value] : staged_) {
      values_[key] = std::move(value);
    }
    staged_.clear();
  }
  std::string get(ProcessId of, std::string_view key) override {
    const auto found = values_.find(key);
    if (number(of) != 0 || found == values_.end()) {
      throw std::runtime_error("process " + std::to_string(number(of)) + " has published no '" + std::string(key) +
                               "'");
    }
    return found->second;
  }
  void finish() override {}
  void abort(int /*code*/) override {}

 private:
  std::map<std::string, std::string, std::less<>> staged_, values_;
};

constexpr std::array kLauncherPrefixes = {"PMIX_", "PMI_", "OMPI_", "PRTE_", "HYDRA_", "HYDI_"};

// A shell that another launcher has started keeps that launcher's variables, even when the launcher no longer answers.
template <typename Connect>
std::unique_ptr<Bootstrap> connect_by(const char* variable, Connect connect_to_it) {
  try {
    return connect_to_it();
  } catch (const std::exception& error) {
    throw std::runtime_error(std::string(error.what()) + " (" + variable + " is set: a launcher should have started " +
                             "this process; if none has, unset it)");
  }
}

// Prints a warning if Slurm has started several tasks without PMIx and PMI: each of them is then a whole job, which is
// not what users expect who start them together. Only the first task prints it.
void report_separate_tasks() {
  const char* const tasks = std::getenv("SLURM_STEP_NUM_TASKS");
  const char* const task = std::getenv("SLURM_PROCID");
  if (tasks != nullptr && task != nullptr && std::string_view(tasks) != "1" && std::string_view(task) == "0") {
    base::say(std::string("weft: srun has started ") + tasks +
              " tasks, each of which runs a whole job of its own; srun --mpi=pmix or --mpi=pmi2 makes them one job\n");
  }
}

bool is_pmi1() { return std::getenv("PMI_FD") != nullptr && std::getenv("PMI_RANK") != nullptr; }

}  // namespace

bool is_launched_by_weft() { return std::getenv(kVariable) != nullptr; }

bool is_launched() { return is_launched_by_weft() || std::getenv("PMIX_RANK") != nullptr || is_pmi1(); }

void forget_launchers() {
  std::vector<std::string> names{kVariable, kImagesVariable};
  for (char** setting = environ; *setting != nullptr; ++setting) {
    const std::string_view text = *setting;
    if (std::ranges::any_of(kLauncherPrefixes, [text](std::string_view prefix) { return text.starts_with(prefix); })) {
      names.emplace_back(text.substr(0, text.find('=')));
    }
  }
  for (const auto& name : names) {
    ::unsetenv(name.c_str());
  }
}

std::unique_ptr<Bootstrap> connect() {
  if (const char* const text = std::getenv(kVariable)) {
    const auto address = parse_launcher_address(text);
    forget_launchers();
    return connect_to_launcher(address);
  }
  if (!is_launched()) {
    report_separate_tasks();
    return std::make_unique<SingleProcess>();
  }
  auto bootstrap =
      std::getenv("PMIX_RANK") != nullptr ? connect_by("PMIX_RANK", connect_pmix) : connect_by("PMI_FD", connect_pmi1);
  forget_launchers();
  return bootstrap;
}

}  // namespace weft::bootstrap

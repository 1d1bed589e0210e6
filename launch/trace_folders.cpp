#include "launch/trace_folders.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "trace/otf2/write.hpp"

namespace weft::launch {

void prepare_archive(const std::string& folder) {
  if (!trace::has_otf2()) {
    throw std::runtime_error("--otf2: Weft was built without libotf2 (Debian: libotf2-trace-dev)");
  }
  std::error_code error;
  if (std::filesystem::exists(trace::otf2_anchor(folder), error)) {
    throw std::runtime_error(fmt::format("--otf2: there is a trace in {} already", folder));
  }
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(fmt::format("--otf2: cannot make the folder {}: {}", folder, error.message()));
  }
}

void prepare_recording(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error(fmt::format("--record: cannot make the folder {}: {}", folder, error.message()));
  }
  const bool is_empty = std::filesystem::is_empty(folder, error);
  if (error || ::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw std::runtime_error(fmt::format("--record: cannot write to the folder {}: {}", folder,
                                         error ? error.message() : std::string(std::strerror(errno))));
  }
  if (!is_empty) {
    throw std::runtime_error(fmt::format("--record: there is something in {} already", folder));
  }
}

void find_recording(const LaunchConfig& config, runtime::JobConfig& job) {
  std::error_code ignored;  // the recorders say what they cannot write
  job.record = std::filesystem::absolute(config.job.record, ignored).string();
  std::filesystem::create_directories(job.record, ignored);
  job.command = config.arguments;
  job.command.resize(std::max<std::size_t>(job.command.size(), 1));
  job.command.front() = config.program;
}

}  // namespace weft::launch

#include "launch/trace_folders.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>

#include "launch/destinations.hpp"
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
  require_folder("--otf2", folder);
}

void prepare_recording(const std::string& folder) {
  require_folder("--record", folder);
  if (!std::filesystem::is_empty(folder)) {
    throw std::runtime_error(fmt::format("--record: there is something in {} already", folder));
  }
}

void set_recording_folder(const LaunchConfig& config, runtime::JobConfig& job) {
  std::error_code ignored;  // the recorders say what they cannot write
  job.record = std::filesystem::absolute(config.job.record, ignored).string();
  std::filesystem::create_directories(job.record, ignored);
}

}  // namespace weft::launch

#include "runtime/lbstep/checkpoint_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "base/options.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"

namespace weft::runtime {
inline namespace lbstep {
namespace {

constexpr std::string_view kDescriptors = "/fd/";

}  // namespace

bool CheckpointFiles::are_in_memory(std::string_view path) {
  return path.starts_with("/proc/") && path.find(kDescriptors) != std::string_view::npos &&
         path.find(',') != std::string_view::npos;
}

CheckpointFiles::CheckpointFiles(std::string path) : path_(std::move(path)) {
  if (are_in_memory(path_)) {
    const std::size_t names = path_.find(kDescriptors) + kDescriptors.size();
    for (const std::string_view name : base::split_words(std::string_view(path_).substr(names), ',')) {
      in_memory_.push_back(path_.substr(0, names) + std::string(name));
    }
  }
}

std::string CheckpointFiles::index() const {
  return in_memory_.empty() ? bootstrap::checkpoint_index(path_) : in_memory_.front();
}

std::string CheckpointFiles::of_process(std::uint32_t process) const {
  if (in_memory_.empty()) {
    return bootstrap::checkpoint_file(path_, process);
  }
  if (process + 1 >= in_memory_.size()) {
    throw std::runtime_error(fmt::format("checkpoint {}: there is no file of process {}", path_, process));
  }
  return in_memory_[process + 1];
}

std::uint64_t CheckpointFiles::bytes_in_memory() const {
  constexpr std::uint64_t kBlock = 512;
  std::uint64_t bytes = 0;
  for (const std::string& path : in_memory_) {
    struct stat its {};
    if (::stat(path.c_str(), &its) == 0) {
      bytes += static_cast<std::uint64_t>(its.st_blocks) * kBlock;
    }
  }
  return bytes;
}

void CheckpointFiles::empty_memory() const {
  for (const std::string& path : in_memory_) {
    if (::truncate(path.c_str(), 0) != 0) {
      return;  // the launcher is gone, and the files with it
    }
  }
}

}  // namespace lbstep
}  // namespace weft::runtime

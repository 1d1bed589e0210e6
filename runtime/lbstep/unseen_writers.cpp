#include "runtime/lbstep/unseen_writers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace weft::runtime {
inline namespace lbstep {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kWriters{"anon_inode:[io_uring]", "/dev/infiniband/", "/dev/nvidia",
                                                   "/dev/kfd", "/dev/dri/"};

bool is_writer(const fs::path& open_file) {
  std::error_code error;
  const std::string name = fs::read_symlink(open_file, error).string();
  return std::ranges::any_of(kWriters, [&](std::string_view writer) { return name.starts_with(writer); });
}

bool has_open_writer() {
  std::error_code error;
  fs::directory_iterator open_files("/proc/self/fd", error);
  for (; !error && open_files != fs::directory_iterator(); open_files.increment(error)) {
    if (is_writer(open_files->path())) {
      return true;
    }
  }
  return static_cast<bool>(error);  // if the descriptors cannot be read, assume one
}

// A context is no file but a mapping. If nobody on this host has one, the long list of mappings is not read.
bool has_asynchronous_io() {
  std::string contexts;
  std::ifstream("/proc/sys/fs/aio-nr") >> contexts;
  if (contexts == "0") {
    return false;
  }
  std::ifstream mappings("/proc/self/maps");
  for (std::string line; std::getline(mappings, line);) {
    if (line.find("/[aio]") != std::string::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool has_unseen_writers() { return has_open_writer() || has_asynchronous_io(); }

}  // namespace lbstep
}  // namespace weft::runtime

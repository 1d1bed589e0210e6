#include "base/executable.hpp"

#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include "base/options.hpp"

namespace weft::base {

std::optional<std::string> find_executable(const std::string& name, std::span<const std::string_view> folders) {
  for (const std::string_view folder : folders) {
    const auto candidate = std::filesystem::path(folder) / name;
    if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate)) {
      return candidate.string();
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> path_folders() {
  const char* const path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): ranks have environments of their own
  return split_words(path == nullptr ? "" : path, ':');
}

std::filesystem::path own_executable() {
  std::error_code error;
  auto file = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) {
    throw std::runtime_error("/proc/self/exe, by which a program finds its own file, cannot be read: " +
                             error.message() + "; mount /proc (mount -t proc proc /proc)");
  }
  return file;
}

}  // namespace weft::base

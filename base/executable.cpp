#include "base/executable.hpp"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

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

}  // namespace weft::base

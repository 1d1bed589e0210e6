// Finds programs' files.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::base {

// The path of the executable file of this name in the first of the folders that has one.
std::optional<std::string> find_executable(const std::string& name, std::span<const std::string_view> folders);

// The folders in PATH, as views of the environment: valid until PATH is changed.
std::vector<std::string_view> path_folders();

// The file of this program. Throws std::runtime_error where /proc is not mounted.
std::filesystem::path own_executable();

}  // namespace weft::base

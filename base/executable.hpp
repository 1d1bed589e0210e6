// Finds programs' files.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::base {

// The first folder's that has an executable file of this name.
std::optional<std::string> find_executable(const std::string& name, std::span<const std::string_view> folders);

// The folders in PATH.
std::vector<std::string_view> path_folders();

// This program's own file. Throws std::runtime_error where /proc, which tells, is not mounted.
std::filesystem::path own_executable();

}  // namespace weft::base

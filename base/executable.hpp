// Finds a program's file by its name.
#pragma once

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

}  // namespace weft::base

// Platforms as JSON files, with units in the names. docs/simulation.md describes every key; tests/sim/platform.json is
// an example.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "sim/platform.hpp"

namespace weft::sim {

// What is wrong with a file: a line for each mistake, "file: hosts[2].speed: expected ..., found ...".
class PlatformError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Throw PlatformError. Unknown keys are mistakes, too.
Platform read_platform(const std::string& file);
Platform parse_platform(std::string_view text, const std::string& name);
// In two steps: the text as JSON, which may be changed, then what it means.
nlohmann::json parse_json(std::string_view text, const std::string& name);
Platform platform_of(const nlohmann::json& json, const std::string& name);
std::string text_of_file(const std::string& file);

}  // namespace weft::sim

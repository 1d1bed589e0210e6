// Reads platforms from JSON files, whose keys name their units. docs/simulation.md describes every key;
// tests/sim/platform.json is an example.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "sim/platform.hpp"

namespace weft::sim {

// Has a line for each mistake in a file: "file: hosts[2].speed: expected ..., found ...".
class PlatformError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// These throw PlatformError; unknown keys are mistakes.
Platform read_platform(const std::string& file);
Platform parse_platform(std::string_view text, const std::string& name);
// The same in two steps, so that the JSON can be changed in between.
nlohmann::json parse_json(std::string_view text, const std::string& name);
Platform platform_of(const nlohmann::json& json, const std::string& name);
std::string text_of_file(const std::string& file);

}  // namespace weft::sim

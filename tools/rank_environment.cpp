#include "tools/rank_environment.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace weft::tools {
namespace {

constexpr std::array kSetting{"x", "genv", "env"};

}  // namespace

std::span<const char* const> environment() {
  std::size_t count = 0;
  while (environ[count] != nullptr) {
    ++count;
  }
  return {environ, count};
}

void set_environment(const base::OptionValues& values) {
  // Python decides by isatty() whether to buffer lines. isatty() cannot be changed for that: it also decides on
  // colours.
  ::setenv("PYTHONUNBUFFERED", "1", 0);
  for (const char* const name : kSetting) {
    for (const auto& pair : values.list(name)) {
      const auto equals = pair.find('=');
      // `-x VAR` alone exports a variable that is set already.
      if (equals != std::string::npos && ::setenv(pair.substr(0, equals).c_str(), pair.c_str() + equals + 1, 1) != 0) {
        throw base::OptionError("-" + std::string(name) + ": '" + pair + "' is not VAR=VALUE");
      }
    }
  }
}

std::vector<std::string> missing_variables(const base::OptionValues& values) {
  const auto is_set = [&](const std::string& variable) {
    const auto sets_it = [&](const std::string& pair) { return pair.starts_with(variable + "="); };
    return std::getenv(variable.c_str()) != nullptr || std::ranges::any_of(kSetting, [&](const char* option) {
             return std::ranges::any_of(values.list(option), sets_it);
           });
  };
  std::vector<std::string> missing;
  for (const std::string& variable : values.list("x")) {
    if (variable.find('=') == std::string::npos && !is_set(variable)) {
      missing.push_back(variable);
    }
  }
  return missing;
}

std::vector<std::string> exported_variables(const base::OptionValues& values) {
  std::vector<std::string> asked = values.list("x");
  std::ranges::copy(values.list("genvlist"), std::back_inserter(asked));
  std::vector<std::string> variables;
  for (const std::string_view setting : environment()) {
    const auto name = setting.substr(0, setting.find('='));
    if (values.flag("genvall") || name.starts_with("WEFT_") || std::ranges::find(asked, name) != asked.end()) {
      variables.emplace_back(setting);
    }
  }
  return variables;
}

}  // namespace weft::tools

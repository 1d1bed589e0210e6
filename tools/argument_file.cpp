#include "tools/argument_file.hpp"

#include <fstream>
#include <string_view>

#include "base/options.hpp"

namespace weft::tools {
namespace {

// "--app", "-configfile" and so on, perhaps with "=FILE".
bool names_file(std::string_view argument) {
  const auto word = argument.substr(argument.starts_with("--") ? 2 : argument.starts_with('-') ? 1 : argument.size());
  const auto name = word.substr(0, word.find('='));
  return name == "configfile" || name == "app";
}

}  // namespace

std::vector<std::string> expand_argument_file(std::span<const char* const> arguments, const std::string& path,
                                              const std::vector<std::string>& rest) {
  if (!rest.empty()) {
    throw base::OptionError("--configfile " + path + " names the programs: '" + rest.front() +
                            "' cannot follow the options");
  }
  std::vector<std::string> words;
  for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
    if (!names_file(*argument)) {
      words.emplace_back(*argument);
    } else if (std::string_view(*argument).find('=') == std::string_view::npos) {
      ++argument;  // its value
    }
  }
  std::ifstream file(path);
  bool is_first = true;
  for (std::string line; std::getline(file, line);) {
    for (char& letter : line) {
      letter = letter == '\t' || letter == '\r' ? ' ' : letter;
    }
    const auto parts = base::split_words(line);
    if (parts.empty() || parts.front().starts_with('#')) {
      continue;
    }
    if (!is_first) {
      words.emplace_back(":");
    }
    is_first = false;
    words.insert(words.end(), parts.begin(), parts.end());
  }
  if (is_first) {
    throw base::OptionError("--configfile: " + path + (file.is_open() ? " has no line" : " cannot be read"));
  }
  return words;
}

}  // namespace weft::tools

#include "launch/program_files.hpp"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "base/executable.hpp"

namespace weft::launch {

std::string find_program(const runtime::Application& application, const std::string& first) {
  const std::string& name = application.program;
  std::vector<std::string_view> folders(application.folders.begin(), application.folders.end());
  if (name.find('/') != std::string::npos) {
    folders.insert(folders.begin(), ".");
  } else {
    for (const std::string_view folder : base::path_folders()) {
      folders.push_back(folder);
    }
    folders.emplace_back(".");
    folders.push_back(std::string_view(first).substr(0, first.find_last_of('/') + 1));
  }
  const auto found = base::find_executable(name, folders);
  if (!found) {
    throw std::runtime_error("there is no program '" + name + "'");
  }
  return *found;
}

std::vector<std::string> interpreter_of(const std::string& path) {
  if (std::error_code unknown; !std::filesystem::is_regular_file(path, unknown)) {
    return {};  // opening a pipe would wait for a writer
  }
  std::ifstream file(path);
  std::string line;
  if (file.get() != '#' || file.get() != '!' || !std::getline(file, line)) {
    return {};
  }
  std::vector<std::string> words;
  std::istringstream text(line);
  std::string word;
  if (text >> word) {
    words.push_back(word);
  }
  if (std::getline(text >> std::ws, word) && !word.empty()) {
    words.push_back(word.substr(0, word.find_last_not_of(" \t") + 1));
  }
  return words;
}

}  // namespace weft::launch

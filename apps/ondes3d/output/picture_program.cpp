#include "output/picture_program.hpp"

#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "output/child.hpp"
#include "output/scene.hpp"

namespace ondes3d {
namespace {

constexpr const char* kProgram = "ondes3d-pictures";
constexpr int kLeastFrames = 150;

// A path where the program is, or its bare name, to be looked for in PATH.
std::string program_path(const std::string& launched) {
  std::error_code ignored;
  std::vector<std::filesystem::path> beside;
  if (launched.find('/') != std::string::npos) {
    beside.emplace_back(launched);
    beside.push_back(std::filesystem::canonical(launched, ignored));
  }
  beside.push_back(std::filesystem::read_symlink("/proc/self/exe", ignored));
  for (const auto& program : beside) {
    std::string path = (program.parent_path() / kProgram).string();
    if (program.has_parent_path() && ::access(path.c_str(), X_OK) == 0) {
      return path;
    }
  }
  return kProgram;
}

}  // namespace

int movie_frames(int panels) {
  const int each = panels > 0 ? panels : 1;
  return each * ((kLeastFrames + each - 1) / each);
}

std::vector<std::string> draw_pictures(const std::string& folder, const std::string& launched,
                                       const PictureKinds& kinds) {
  std::vector<std::string> words{program_path(launched), "--format", kinds.formats};
  if (kinds.movie) {
    words.emplace_back("--movie");
  }
  words.insert(words.end(), {"--", folder});
  std::string written;
  int code = 0;
  try {
    Child child(std::move(words), Child::Pipe::kFromItsOutput);
    written = child.read_all();
    code = child.wait();
  } catch (const std::system_error& error) {
    if (error.code() == std::errc::no_such_file_or_directory) {
      return {std::string("no pictures: there is no ") + kProgram + " beside ondes3d (it is built where Cairo is); " +
              kSceneFile + " holds what it draws"};
    }
    throw;
  }
  if (code != 0) {
    throw std::runtime_error(std::string("the pictures are not whole, ") + kProgram + " ends with " +
                             std::to_string(code) + "; the other results are");
  }
  std::vector<std::string> names;
  std::istringstream lines(written);
  for (std::string line; std::getline(lines, line);) {
    names.push_back(line);
  }
  return names;
}

}  // namespace ondes3d

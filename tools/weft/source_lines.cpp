#include "tools/weft/source_lines.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/executable.hpp"

extern "C" char** environ;

namespace weft::tools::weft_tool {
namespace {

// What the command writes to standard output.
std::string output_of(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return {};
  }
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started = ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t got = 1; started && got > 0;) {
    got = ::read(ends[0], part.data(), part.size());
    text.append(part.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  }
  ::close(ends[0]);
  if (started) {
    ::waitpid(child, nullptr, 0);
  }
  return text;
}

// "/home/me/solver.c:12 (discriminator 2)" or, for what is unknown, "??:0" and "/home/me/solver.c:?".
std::string line_of(std::string_view answer) {
  answer = answer.substr(0, answer.find(" (discriminator"));
  const bool is_known = !answer.starts_with("??") && !answer.ends_with(":?") && !answer.ends_with(":0");
  return is_known ? std::string(answer) : std::string();
}

// addr2line prints one line for each address.
void run_addr2line(const std::string& tool, const std::string& file, const std::vector<std::uint64_t>& addresses,
                   LinesOfFiles& lines) {
  std::vector<std::string> words{tool, "-e", file};
  for (const std::uint64_t address : addresses) {
    words.push_back(fmt::format("{:#x}", address));
  }
  const std::string text = output_of(words);
  std::string_view rest = text;
  for (const std::uint64_t address : addresses) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) {
      return;
    }
    if (std::string line = line_of(rest.substr(0, end)); !line.empty()) {
      lines[file][address] = std::move(line);
    }
    rest.remove_prefix(end + 1);
  }
}

}  // namespace

LinesOfFiles source_lines(const AddressesOfFiles& wanted) {
  constexpr std::size_t kMostAtOnce = 2000;
  LinesOfFiles lines;
  const auto tool = base::find_executable("addr2line", base::path_folders());
  if (!tool) {
    return lines;
  }
  for (const auto& [file, addresses] : wanted) {
    std::vector<std::uint64_t> some;
    for (const std::uint64_t address : addresses) {
      some.push_back(address);
      if (some.size() == kMostAtOnce) {
        run_addr2line(*tool, file, some, lines);
        some.clear();
      }
    }
    if (!some.empty()) {
      run_addr2line(*tool, file, some, lines);
    }
  }
  return lines;
}

}  // namespace weft::tools::weft_tool

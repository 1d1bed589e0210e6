#include "tests/runtime/bootstrap/run_program.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace weft::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPause = std::chrono::milliseconds(5);
constexpr std::chrono::seconds kTimeLimit{100};
constexpr std::chrono::seconds kLeftovers{5};

std::string text_of(int file) {
  std::string text(static_cast<std::size_t>(::lseek(file, 0, SEEK_END)), '\0');
  const ssize_t count = ::pread(file, text.data(), text.size(), 0);
  text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
  return text;
}

// This process's children that live, with their command lines.
std::vector<std::pair<pid_t, std::string>> living_children() {
  std::vector<std::pair<pid_t, std::string>> found;
  std::ifstream list("/proc/self/task/" + std::to_string(::getpid()) + "/children");
  for (pid_t child = 0; list >> child;) {
    std::ifstream file("/proc/" + std::to_string(child) + "/cmdline");
    std::string command;
    std::getline(file, command);
    std::ranges::replace(command, '\0', ' ');
    found.emplace_back(child, command);
  }
  return found;
}

bool is_zombie(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text;
  std::getline(file, text);
  const auto name_end = text.rfind(')');
  return name_end == std::string::npos || text.substr(name_end + 2, 1) == "Z";
}

bool has_living_children(pid_t process) {
  std::error_code gone;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task", gone)) {
    std::ifstream list(thread.path() / "children");
    for (pid_t child = 0; list >> child;) {
      if (!is_zombie(child)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace

ProgramRun::ProgramRun(const std::vector<std::string>& command, const std::string& input) : begin_(Clock::now()) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  file_ = ::memfd_create("output", MFD_CLOEXEC);
  const int words = ::memfd_create("input", MFD_CLOEXEC);
  if (file_ < 0 || words < 0 || ::write(words, input.data(), input.size()) != static_cast<ssize_t>(input.size())) {
    throw std::runtime_error("no memory files");
  }
  ::lseek(words, 0, SEEK_SET);
  ::fcntl(file_, F_SETFL, O_APPEND);
  std::vector<char*> arguments;
  for (const auto& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  pid_ = ::fork();
  if (pid_ == 0) {
    ::setpgid(0, 0);
    ::dup2(words, STDIN_FILENO);
    ::dup2(file_, STDOUT_FILENO);
    ::dup2(file_, STDERR_FILENO);
    ::execvp(arguments[0], arguments.data());
    ::_exit(127);
  }
  ::close(words);
}

ProgramRun::~ProgramRun() {
  if (pid_ > 0) {
    ::kill(-pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ::close(file_);
}

std::string ProgramRun::output() const { return text_of(file_); }

bool ProgramRun::wait_for(const std::string& text, int times) {
  while (Clock::now() < begin_ + kTimeLimit) {
    const auto all = output();
    int found = 0;
    for (auto at = all.find(text); at != std::string::npos; at = all.find(text, at + 1)) {
      ++found;
    }
    if (found >= times) {
      return true;
    }
    std::this_thread::sleep_for(kPause);
  }
  return false;
}

std::vector<std::string> ProgramRun::wait_for_descendants() const {
  const auto end = Clock::now() + kLeftovers;
  while (Clock::now() < end) {
    const pid_t one = ::waitpid(-1, nullptr, WNOHANG);
    if (one < 0) {
      return {};
    }
    if (one == 0) {
      std::this_thread::sleep_for(kPause);
    }
  }
  std::vector<std::string> left;
  for (const auto& [child, command] : living_children()) {
    left.push_back(command);
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  return left;
}

Outcome ProgramRun::finish() {
  Outcome outcome;
  int status = 0;
  bool killed = false;
  while (::waitpid(pid_, &status, WNOHANG) == 0) {
    if (!killed && Clock::now() > begin_ + kTimeLimit) {
      killed = true;
      outcome.hung_alone = !has_living_children(pid_);
      ::kill(-pid_, SIGKILL);
    }
    std::this_thread::sleep_for(kPause);
  }
  pid_ = -1;
  outcome.seconds = std::chrono::duration<double>(Clock::now() - begin_).count();
  outcome.code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  outcome.left = wait_for_descendants();
  outcome.output = output();
  return outcome;
}

std::string find_tool(const std::string& name) {
  const char* const path = std::getenv("PATH");
  std::string folders = std::string(path == nullptr ? "" : path) + ":/usr/sbin:/sbin";
  for (std::size_t begin = 0; begin < folders.size();) {
    const auto end = std::min(folders.find(':', begin), folders.size());
    auto candidate = folders.substr(begin, end - begin) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    begin = end + 1;
  }
  return {};
}

}  // namespace weft::test

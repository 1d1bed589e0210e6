#include "launch/stall_watch.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>

#include "base/executable.hpp"

extern "C" char** environ;

namespace weft::launch {
namespace {

// Starts a program with `input` as standard input, with standard output going to standard error, and with signals as
// for a program that a shell starts. Returns an error number, or 0.
int start(std::vector<char*> arguments, int input, pid_t& child) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t signals;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  ::sigemptyset(&signals);
  ::posix_spawnattr_setsigmask(&attributes, &signals);
  ::sigfillset(&signals);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error;
}

}  // namespace

StallWatch::StallWatch(const std::string& job, double seconds) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::runtime_error(fmt::format("--stall: no pipe: {}", std::strerror(errno)));
  }
  const inspect::Descriptor input(ends[0]);
  pipe_ = inspect::Descriptor(ends[1]);
  std::array<std::string, 4> words{base::own_executable().replace_filename("weft").string(), "watch-stalls", job,
                                   fmt::format("{}", seconds)};
  pid_t child = 0;
  const int error =
      start({words[0].data(), words[1].data(), words[2].data(), words[3].data(), nullptr}, input.get(), child);
  if (error != 0) {
    throw std::runtime_error(fmt::format("--stall: cannot start {}: {}", words[0], std::strerror(error)));
  }
  int status = 0;  // the child forks the process that watches, and ends at once
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (status != 0) {
    throw std::runtime_error(fmt::format("--stall: {} does not watch the job", words[0]));
  }
}

}  // namespace weft::launch

#include "output/child.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace ondes3d {

Child::Child(std::vector<std::string> words, Pipe pipe) {
  std::array<int, 2> ends{};  // to read from, to write to
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "a pipe to " + words[0]);
  }
  const bool reads = pipe == Pipe::kFromItsOutput;
  end_ = ends[reads ? 0 : 1];
  const int its_end = ends[reads ? 1 : 0];
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, its_end, reads ? STDOUT_FILENO : STDIN_FILENO);
  const int error = ::posix_spawnp(&pid_, words[0].c_str(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(its_end);
  if (error != 0) {
    pid_ = 0;
    close_pipe();
    throw std::system_error(error, std::generic_category(), words[0]);
  }
}

Child::~Child() { (void)wait(); }

std::string Child::read_all() {
  std::string text;
  std::array<char, 4096> part{};
  for (;;) {
    const ssize_t count = ::read(end_, part.data(), part.size());
    if (count > 0) {
      text.append(part.data(), static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      return text;
    }
  }
}

bool Child::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(end_, bytes.data(), bytes.size());
    if (count > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

int Child::wait() {
  close_pipe();
  int status = 0;
  while (pid_ != 0) {
    // Where SIGCHLD is ignored nobody learns how a child has ended.
    if (::waitpid(pid_, &status, 0) == pid_ || errno != EINTR) {
      pid_ = 0;
    }
  }
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void Child::close_pipe() {
  if (end_ >= 0) {
    ::close(end_);
    end_ = -1;
  }
}

}  // namespace ondes3d

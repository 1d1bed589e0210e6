#include "runtime/bootstrap/start.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "base/executable.hpp"
#include "base/options.hpp"
#include "base/say.hpp"
#include "base/thread_start.hpp"
#include "runtime/bootstrap/addresses.hpp"
#include "runtime/bootstrap/child_process.hpp"
#include "runtime/bootstrap/standard_descriptors.hpp"

namespace weft::bootstrap {
namespace {

[[noreturn]] void execute(const std::vector<std::string>& command) {
  std::vector<char*> arguments;
  for (const auto& word : command) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  ::execvp(arguments.front(), arguments.data());
  base::say("weftrun: cannot start " + command.front() + ": " + std::strerror(errno) + "\n");
  ::_exit(kCannotStart);
}

void read_from(int fd) {
  if (fd >= 0) {
    ::dup2(fd, STDIN_FILENO);
    ::close(fd);
  }
}

bool write_all(int fd, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t written = ::write(fd, bytes, count);
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    bytes += written;
    count -= static_cast<std::size_t>(written);
  }
  return true;
}

// Runs in a child: writes the line, then all of standard input.
void forward_input(int to, const std::string& line) {
  ::signal(SIGPIPE, SIG_IGN);
  char bytes[16384];  // no more, since weftrun may have a small stack
  bool open = write_all(to, line.data(), line.size());
  while (open) {
    const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
    open = count > 0 ? write_all(to, bytes, static_cast<std::size_t>(count)) : count < 0 && errno == EINTR;
  }
}

}  // namespace

std::vector<std::string> same_command(std::span<const char* const> arguments) {
  std::vector<std::string> command{base::own_executable().string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

namespace {

// Ends that are closed in programs which this process starts.
struct Pipe {
  Pipe() {
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      base::fail_to_start("another process", std::strerror(errno));
    }
  }
  ~Pipe() { std::ranges::for_each(ends, ::close); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  std::array<int, 2> ends{};  // to read from, to write to
};

// Both ends of a connection: this process's, which is non-blocking, and the other one's.
std::array<std::unique_ptr<FrameStream>, 2> connection_to(std::uint32_t process) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw std::runtime_error(fmt::format("cannot make a socket for process {}: {}", process, std::strerror(errno)));
  }
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  return {std::make_unique<FrameStream>(ends[0]), std::make_unique<FrameStream>(ends[1])};
}

}  // namespace

pid_t start_process(const StartConfig& config, const LauncherAddress& address, bool gets_input,
                    std::span<const std::string> variables) {
  return fork_child(config.signals, [&] {
    if (!gets_input) {
      read_from(::open("/dev/null", O_RDONLY));
    }
    for (const int fd : {address.fd, address.notices_fd}) {
      if (fd >= 0) {
        ::fcntl(fd, F_SETFD, 0);
      }
    }
    for (const std::string& variable : variables) {
      const auto equals = variable.find('=');
      ::setenv(variable.substr(0, equals).c_str(), variable.c_str() + equals + 1, 1);
    }
    ::setenv(kVariable, to_text(address).c_str(), 1);
    fix_addresses_of_next_image();
    execute(config.command);
  });
}

LocalProcess start_here(const StartConfig& config, const LocalStart& start) {
  auto [stream, other_end] = connection_to(start.process);
  LocalProcess started{.pid = 0, .stream = std::move(stream), .notices = nullptr};
  LauncherAddress address{.process = start.process, .processes = start.processes, .fd = other_end->fd()};
  std::unique_ptr<FrameStream> notices;
  if (start.gets_notices) {
    auto ends = connection_to(start.process);
    started.notices = std::move(ends[0]);
    notices = std::move(ends[1]);
    address.notices_fd = notices->fd();
  }
  started.pid = start_process(config, address, start.gets_input, {});
  return started;
}

RemoteProxy start_proxy(const StartConfig& config, const std::string& host, const LauncherPort& port, bool gets_input) {
  const Pipe pipe;
  const bool feeds = gets_input && !input_identity().empty();
  RemoteStart start{std::filesystem::current_path().string(), config.variables, config.command};
  start.variables.push_back(fmt::format("{}={}", kVariable, feeds ? kProxyWithInput : kProxyWithoutInput));
  start.variables.push_back(fmt::format("{}={}", kHostNameVariable, host));
  std::vector<std::string> command = agent_command(config.agent, host);
  command.push_back(remote_line(start));
  // The secret is sent through the pipe: others on either host can read command lines, and some environments.
  const auto line = to_text(port) + "\n";
  RemoteProxy started{};
  started.agent = fork_child(config.signals, [&] {
    read_from(pipe.ends[0]);
    execute(command);
  });
  if (feeds) {
    started.input_forwarder = fork_child(config.signals, [&] {
      ::close(pipe.ends[0]);
      forward_input(pipe.ends[1], line);
    });
  } else if (!write_all(pipe.ends[1], line.data(), line.size())) {
    throw std::runtime_error("cannot write to '" + config.agent + "' for host " + host + ": " + std::strerror(errno));
  }
  return started;
}

}  // namespace weft::bootstrap

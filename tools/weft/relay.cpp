#include "tools/weft/relay.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <vector>

#include "base/executable.hpp"
#include "runtime/bootstrap/hosts.hpp"

extern "C" char** environ;

namespace weft::tools::weft_tool {
namespace {

// Starts a program in a process group of its own, so that the end of the relay ends whatever the agent has started.
// Returns 0 if it cannot be started.
pid_t start(const std::vector<std::string>& words, int input_and_output) {
  std::vector<char*> arguments;
  for (const std::string& word : words) {
    arguments.push_back(const_cast<char*>(word.c_str()));
  }
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  sigset_t signals;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_adddup2(&files, input_and_output, STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&files, input_and_output, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawnattr_init(&attributes);
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &signals);
  ::posix_spawnattr_setpgroup(&attributes, 0);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.front(), &files, &attributes, arguments.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : 0;
}

// Keeps ssh from asking for a password, which nobody would see.
std::string without_questions(const std::string& agent) {
  return agent == "ssh" ? "ssh -o BatchMode=yes -o ConnectTimeout=8" : agent;
}

}  // namespace

Relay::Relay(const std::string& agent, const std::string& host, const std::string& job) : host_(host) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return;
  }
  connection_ = inspect::Descriptor(ends[0]);
  const inspect::Descriptor other_end(ends[1]);
  std::vector<std::string> words = bootstrap::agent_command(without_questions(agent), host);
  words.push_back(bootstrap::remote_line(
      {.folder = "/", .variables = {}, .command = {base::own_executable().string(), "answer-relayed", job}}));
  agent_ = start(words, other_end.get());
}

Relay::~Relay() {
  connection_ = inspect::Descriptor();
  if (agent_ != 0) {
    ::kill(-agent_, SIGTERM);
    while (::waitpid(agent_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
}

PackedAnswers Relay::query(const inspect::Question& question, int seconds) {
  constexpr int kSecondsToStart = 10;
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  if (!connection_) {
    return {};
  }
  inspect::set_timeouts(connection_, seconds + (has_greeted_ ? 1 : kSecondsToStart));
  inspect::RelayedQuestion relayed{.question = question, .seconds = seconds};
  std::vector<std::byte> bytes;
  if ((!has_greeted_ && !read_greeting()) || !inspect::send_frame(connection_, pup::pack(relayed)) ||
      !inspect::receive_frame(connection_, bytes, kMostBytes)) {
    connection_ = inspect::Descriptor();
    return {};
  }
  inspect::RelayedAnswers answers;
  pup::unpack(bytes, answers);
  return std::move(answers.processes);
}

bool Relay::read_greeting() {
  constexpr int kMostBytesBefore = 65536;
  std::string seen;
  for (int i = 0; i < kMostBytesBefore && !has_greeted_; ++i) {
    char next = 0;
    if (::read(connection_.get(), &next, 1) != 1) {
      return false;
    }
    seen += next;
    has_greeted_ = seen.ends_with(kRelayGreeting);
  }
  return has_greeted_;
}

}  // namespace weft::tools::weft_tool

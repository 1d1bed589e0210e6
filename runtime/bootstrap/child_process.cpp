#include "runtime/bootstrap/child_process.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <string>

#include "base/say.hpp"
#include "base/thread_start.hpp"

namespace weft::bootstrap {

pid_t fork_child(const sigset_t& signals, const std::function<void()>& body) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) {
    base::fail_to_start("another process", std::strerror(errno));
  }
  if (child == 0) {
    if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent) {
      ::_exit(kCannotStart);
    }
    ::sigprocmask(SIG_SETMASK, &signals, nullptr);
    try {
      body();
    } catch (const std::exception& error) {
      base::say("weftrun: " + std::string(error.what()) + "\n");
      ::_exit(1);
    }
    ::_exit(0);
  }
  return child;
}

void end_child(pid_t& child) {
  if (child > 0) {
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    child = 0;
  }
}

}  // namespace weft::bootstrap

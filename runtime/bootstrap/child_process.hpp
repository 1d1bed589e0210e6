// Children of the launcher and of its proxies on other hosts.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

namespace weft::bootstrap {

// The exit code of a shell for a program that cannot be started.
constexpr int kCannotStart = 127;

// Starts a child that dies with this process. It blocks `signals`, runs `body` and exits with code 0, or 1 if that has
// thrown. Throws std::runtime_error where no process can be created.
pid_t fork_child(const sigset_t& signals, const std::function<void()>& body);

// Kills the child, waits for it and sets `child` to 0. Does nothing for 0.
void end_child(pid_t& child);

}  // namespace weft::bootstrap

// Children of the launcher and of its proxies on other hosts.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <functional>

namespace weft::bootstrap {

// What a shell says of a program that cannot be started.
constexpr int kCannotStart = 127;

// A child that dies with this process. It blocks `signals`, runs `body` and ends with exit code 0, or 1 where that has
// thrown. Throws std::runtime_error where there is none to be had.
pid_t fork_child(const sigset_t& signals, const std::function<void()>& body);

// Kills it and waits for it; 0 is no child, and it is 0 then.
void end_child(pid_t& child);

}  // namespace weft::bootstrap

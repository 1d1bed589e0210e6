// Threads that may not start: a limit of the system is then named, instead of an exception that nobody catches.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace weft::base {

// "; limits: 20 processes and threads of this user (ulimit -u), ..." with every limit that is set: nothing says which
// of them a thread or a process has met. Empty if there is none.
std::string thread_limits();

// Throws std::runtime_error where this process cannot start so many others, with an open file for each: to find out by
// trying would take long.
void require_processes(std::uint64_t count);

[[noreturn]] void fail_to_start(std::string_view what, const std::string& error);

// A thread that runs the function. Throws std::runtime_error that says what could not be started and names the limits.
template <typename Thread = std::thread, typename Function>
Thread start_thread(std::string_view what, Function&& function) {
  try {
    return Thread(std::forward<Function>(function));
  } catch (const std::system_error& error) {
    fail_to_start(what, error.code().message());
  }
}

}  // namespace weft::base

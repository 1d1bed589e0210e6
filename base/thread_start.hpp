// Starts threads; where the system refuses one, the error names its limits.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace weft::base {

// "; limits: 20 processes and threads of this user (ulimit -u), ..." with every limit that is set, since the system
// does not say which one was reached. Empty if there is none.
std::string thread_limits();

// Throws std::runtime_error if this process cannot start `count` others with an open file for each. Checked beforehand,
// since starting them until one fails would take long.
void check_process_limits(std::uint64_t count);

// Throws std::runtime_error: "cannot start WHAT: ERROR", followed by thread_limits().
[[noreturn]] void fail_to_start(std::string_view what, const std::string& error);

// A thread that runs the function. Throws std::runtime_error, which says what could not be started and names the
// limits.
template <typename Thread = std::thread, typename Function>
Thread start_thread(std::string_view what, Function&& function) {
  try {
    return Thread(std::forward<Function>(function));
  } catch (const std::system_error& error) {
    fail_to_start(what, error.code().message());
  }
}

}  // namespace weft::base

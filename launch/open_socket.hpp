// Which socket the process listens at, for those who end the process.
#pragma once

#include "window/job_socket.hpp"

namespace weft::launch {

// While it lives, withdraw_job_window() takes this socket away. One at a time in a process.
class OpenSocket {
 public:
  explicit OpenSocket(const window::JobSocket& socket);
  ~OpenSocket();
  OpenSocket(const OpenSocket&) = delete;
  OpenSocket& operator=(const OpenSocket&) = delete;
};

// The process ends in another way than by the end of its job. Fit for signal handlers.
void withdraw_job_window() noexcept;

}  // namespace weft::launch

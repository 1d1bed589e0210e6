// Which socket the process listens at, for those who end the process.
#pragma once

#include "inspect/job_socket.hpp"

namespace weft::launch {

// While it lives, withdraw_job_socket() takes this socket away. One at a time in a process.
class OpenSocket {
 public:
  explicit OpenSocket(const inspect::JobSocket& socket);
  ~OpenSocket();
  OpenSocket(const OpenSocket&) = delete;
  OpenSocket& operator=(const OpenSocket&) = delete;
};

// The process ends in another way than by the end of its job. Fit for signal handlers.
void withdraw_job_socket() noexcept;

}  // namespace weft::launch

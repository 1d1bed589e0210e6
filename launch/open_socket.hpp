// The socket at which the process listens, for code that ends the process.
#pragma once

#include "inspect/job_socket.hpp"

namespace weft::launch {

// While it lives, withdraw_job_socket() removes this socket. One at a time in a process.
class OpenSocket {
 public:
  explicit OpenSocket(const inspect::JobSocket& socket);
  ~OpenSocket();
  OpenSocket(const OpenSocket&) = delete;
  OpenSocket& operator=(const OpenSocket&) = delete;
};

// To be called where the process ends in another way than by the end of its job. Async-signal-safe.
void withdraw_job_socket() noexcept;

}  // namespace weft::launch

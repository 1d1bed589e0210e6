// The socket in the job's folder at which a process of the job listens.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/connection.hpp"

namespace weft::inspect {

// As long as this object exists, the process can be found: see job_folders.hpp.
class JobSocket {
 public:
  // Creates the job's folder if needed. Throws std::runtime_error, one line, if that fails or if another process
  // already listens at this socket.
  JobSocket(const std::string& job, std::uint32_t process);
  // Removes the sockets of earlier processes of the job with this number and above, up to the first number that has
  // none. REQUIRES: none of these processes is alive.
  void remove_sockets_from(std::uint32_t process) const;
  ~JobSocket() { withdraw(); }
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;

  const Descriptor& listener() const { return listener_; }
  // Accepts the next connection, if there is one, from processes of this user or root only.
  Descriptor accept() const;

  // Removes the socket, and the folder if it is empty then. Async-signal-safe.
  void withdraw() const noexcept;

 private:
  void listen_at(const std::string& folder);

  std::string folder_;
  std::string path_;
  Descriptor listener_;
};

}  // namespace weft::inspect

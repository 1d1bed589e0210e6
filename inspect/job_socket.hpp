// The socket of a process in its job's folder, where it listens.
#pragma once

#include <cstdint>
#include <string>

#include "inspect/connection.hpp"

namespace weft::inspect {

// While it lives the process can be found: see job_folders.hpp.
class JobSocket {
 public:
  // Makes the job's folder if it is not there. Throws std::runtime_error, one line, where that cannot be, or where
  // another process has the place.
  JobSocket(const std::string& job, std::uint32_t process);
  // Takes away what the job's earlier processes from this one on have left, of which none lives.
  void drop_from(std::uint32_t process) const;
  ~JobSocket() { withdraw(); }
  JobSocket(const JobSocket&) = delete;
  JobSocket& operator=(const JobSocket&) = delete;

  const Descriptor& listener() const { return listener_; }
  // The next who asks, if there is one: of this user or root alone.
  Descriptor accept() const;

  // Takes the socket away, and the folder if it was the last one. Fit for signal handlers.
  void withdraw() const noexcept;

 private:
  void listen_at(const std::string& folder);

  std::string folder_;
  std::string path_;
  Descriptor listener_;
};

}  // namespace weft::inspect

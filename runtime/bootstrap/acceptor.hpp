// Accepts connections to the launcher from the job's processes on other hosts. Anybody may connect to the
// port: connections without the job's secret are closed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/launcher_address.hpp"

namespace weft::bootstrap {

class Acceptor {
 public:
  // Opens the port for a job of so many processes. Throws std::runtime_error.
  explicit Acceptor(std::uint32_t processes);
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  LauncherAddress address(std::uint32_t process) const;
  // The sockets to poll for input.
  std::vector<int> sockets() const;
  // Takes what has arrived. `enter` is called for each connection that knows the secret, with the process it says it
  // is, and may leave the connection where it is: then it is closed, like those of strangers.
  void receive(const std::function<void(std::uint32_t process, std::unique_ptr<FrameStream>&)>& enter);
  // Connections so far that were ended because of what they said, or because too many said nothing.
  std::uint64_t strangers() const { return strangers_; }

 private:
  void accept_some();

  LauncherAddress address_;
  int listener_;
  std::vector<std::unique_ptr<FrameStream>> callers_;  // the oldest first
  std::uint64_t strangers_ = 0;
};

}  // namespace weft::bootstrap

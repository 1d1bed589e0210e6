// Accepts connections to the launcher from the proxies and processes of other hosts. Anybody can connect to the port:
// connections without the job's secret are closed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/bootstrap/frame.hpp"
#include "runtime/bootstrap/launcher_port.hpp"

namespace weft::bootstrap {

class Acceptor {
 public:
  // Opens the port. Throws std::runtime_error.
  Acceptor();
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // The port as it is passed to that host.
  LauncherPort port(std::uint32_t host) const;
  // The sockets to poll for input.
  std::vector<int> sockets() const;
  // Receives what has arrived. Calls `on_accepted` for each connection that has sent the secret, with its
  // FrameKind::kHello. A connection that the callback does not take is closed, like those without the secret.
  void receive(const std::function<void(const Frame& hello, std::unique_ptr<FrameStream>&)>& on_accepted);
  // How many connections have been closed so far because of what they sent, or because too many sent nothing.
  std::uint64_t rejected_connections() const { return rejected_; }

 private:
  void accept_some();

  LauncherPort port_;
  int listener_;
  std::vector<std::unique_ptr<FrameStream>> unverified_;  // connections that have not sent the secret; the oldest first
  std::uint64_t rejected_ = 0;
};

}  // namespace weft::bootstrap

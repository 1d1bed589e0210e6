// Accepts connections to the launcher from the proxies and processes of other hosts. Anybody may connect to the
// port: connections without the job's secret are closed.
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

  // As that host is told of it.
  LauncherPort port(std::uint32_t host) const;
  // The sockets to poll for input.
  std::vector<int> sockets() const;
  // Takes what has arrived. `enter` is called for each connection that knows the secret, with its FrameKind::kHello,
  // and may leave the connection where it is: then it is closed, like those of strangers.
  void receive(const std::function<void(const Frame& hello, std::unique_ptr<FrameStream>&)>& enter);
  // Connections so far that were ended because of what they said, or because too many said nothing.
  std::uint64_t strangers() const { return strangers_; }

 private:
  void accept_some();

  LauncherPort port_;
  int listener_;
  std::vector<std::unique_ptr<FrameStream>> callers_;  // the oldest first
  std::uint64_t strangers_ = 0;
};

}  // namespace weft::bootstrap

// The connection by which a process of a job with --survive api learns of deaths and takes part in agreements: its
// counterpart is FailureCoordinator in the launcher.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/ids.hpp"
#include "runtime/bootstrap/failure_coordinator.hpp"
#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

// Called by the connection's thread, one call at a time, in the launcher's order.
class NoticeHandler {
 public:
  virtual ~NoticeHandler() = default;
  // Notices: the handler acts on each one, and then calls NoticeConnection::confirm_applied().
  virtual void process_died(ProcessId process) = 0;
  virtual void communicator_revoked(std::uint32_t context) = 0;
  // All processes have acted on the first `notices` notices.
  virtual void notices_settled(std::uint32_t notices) = 0;
  // All processes that get this value have been told of the same deaths before.
  virtual void agreed(const std::string& name, const AgreedValue& value) = 0;
};

class NoticeConnection {
 public:
  // Owns the socket.
  explicit NoticeConnection(int fd) : stream_(fd) {}
  ~NoticeConnection() { stop(); }
  NoticeConnection(const NoticeConnection&) = delete;
  NoticeConnection& operator=(const NoticeConnection&) = delete;

  // Calls `handler` from now on, until stop(). Throws std::runtime_error where no thread can be started.
  void serve(NoticeHandler& handler);
  void stop();

  // Any thread.
  void confirm_applied(std::uint32_t notices);
  void revoke(std::uint32_t context);
  // Sends this process's part of an agreement; each process of `processes` sends one.
  void agree(const std::string& name, const AgreedValue& part, const std::vector<std::uint32_t>& processes);

 private:
  void receive_all(NoticeHandler& handler);
  void send(const Frame& frame);

  FrameStream stream_;  // only thread_ receives from it
  std::mutex sending_;  // guards what the stream has to send
  std::thread thread_;
};

}  // namespace weft::bootstrap

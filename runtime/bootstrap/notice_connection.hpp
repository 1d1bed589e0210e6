// How a process of a job with --survive api hears of the others' deaths, and agrees with those that live: its end of
// what FailureCoordinator does in the launcher.
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

// Is called by a thread of the connection, one call at a time, in the launcher's order.
class NoticeHandler {
 public:
  virtual ~NoticeHandler() = default;
  // Notices: each is to be acted on, and then counted with NoticeConnection::say_applied().
  virtual void process_died(ProcessId process) = 0;
  virtual void communicator_revoked(std::uint32_t context) = 0;
  // All processes have acted on the first so many.
  virtual void notices_settled(std::uint32_t notices) = 0;
  // All that are told have been told of the same deaths before.
  virtual void agreed(const std::string& name, const Decision& decision) = 0;
};

class NoticeConnection {
 public:
  // Owns the socket.
  explicit NoticeConnection(int fd) : stream_(fd) {}
  ~NoticeConnection() { stop(); }
  NoticeConnection(const NoticeConnection&) = delete;
  NoticeConnection& operator=(const NoticeConnection&) = delete;

  // From now on `handler` is called, until stop(). Throws std::system_error where there is no thread to spare.
  void serve(NoticeHandler& handler);
  void stop();

  // Any thread.
  void say_applied(std::uint32_t notices);
  void revoke(std::uint32_t context);
  // This process's part of an agreement: each process of `processes` brings one.
  void agree(const std::string& name, const Decision& part, const std::vector<std::uint32_t>& processes);

 private:
  void receive_all(NoticeHandler& handler);
  void send(const Frame& frame);

  FrameStream stream_;  // received from by the thread
  std::mutex sending_;
  std::thread thread_;
};

}  // namespace weft::bootstrap

// The launcher's connections for notices of failures, with --survive api.
#pragma once

#include <poll.h>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/bootstrap/failure_coordinator.hpp"
#include "runtime/bootstrap/frame.hpp"

namespace weft::bootstrap {

class NoticeServer {
 public:
  explicit NoticeServer(std::uint32_t processes);

  // Adds the connection of a process that is about to be started.
  void add(std::uint32_t process, std::unique_ptr<FrameStream> stream) { streams_[process] = std::move(stream); }
  void note_death(std::uint32_t process);

  // What to poll(), one entry for each process, and what to do then.
  void watch(std::vector<pollfd>& watched) const;
  void serve(std::span<const pollfd> watched);

 private:
  bool read(std::uint32_t process);
  void send(std::uint32_t process, const Frame& frame);

  std::vector<std::unique_ptr<FrameStream>> streams_;  // by process; null once the process is gone
  FailureCoordinator coordinator_;
};

}  // namespace weft::bootstrap

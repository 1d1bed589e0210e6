// A transport between simulated processes, all in one OS process, with injected faults. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/net/transport.hpp"

namespace weft::net {

struct LoopbackOptions {
  std::uint32_t workers = 1;  // doorbells of each process
  // Every message and every read is delayed by 0 to this many polls of its receiver. Messages between two processes
  // keep their order; those of different pairs may overtake each other.
  std::uint32_t most_delay = 0;
  std::uint64_t seed = 1;
  std::size_t longest_message = 64 << 10;
  std::size_t queue_bytes = 1 << 20;  // capacity of a receiver; beyond it messages wait at the sender
};

// The processes 0 … processes - 1 of a job. Any thread may call its functions.
class Loopback {
 public:
  explicit Loopback(std::uint32_t processes, const LoopbackOptions& options = {});

  // The transport of this process; call it once for each. `sink` outlives it. Messages that arrived before are
  // delivered then.
  std::unique_ptr<Transport> connect(ProcessId process, Sink& sink);

  // Simulates the death of the process. What it sends, or others send to it, is dropped from now on, and so is what
  // waits. Unfinished reads from it never finish.
  void disconnect(ProcessId process);

  struct State;

 private:
  std::shared_ptr<State> state_;  // the transports share it
};

}  // namespace weft::net

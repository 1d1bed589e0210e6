// A transport between processes that are only objects in one OS process, with faults on demand. For tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "runtime/net/transport.hpp"

namespace weft::net {

struct LoopbackOptions {
  std::uint32_t workers = 1;  // bells of each process
  // Every message and every read is held for 0 to so many polls of the process that takes it. Messages of one pair
  // keep their order; those of different pairs overtake each other.
  std::uint32_t most_delay = 0;
  std::uint64_t seed = 1;
  std::size_t longest_message = 64 << 10;
  std::size_t queue_bytes = 1 << 20;  // what a receiver holds; beyond it messages wait at the sender
};

// The processes 0 … processes - 1 of a job. Any thread may call its functions.
class Loopback {
 public:
  explicit Loopback(std::uint32_t processes, const LoopbackOptions& options = {});

  // The transport of this process, once for each. `sink` outlives it. Messages that came before it wait for it.
  std::unique_ptr<Transport> connect(ProcessId process, Sink& sink);

  // The process is gone: what others or itself send from now on vanishes, what waits for it too, and reads from it that
  // have not finished never will.
  void cut(ProcessId process);

  struct State;

 private:
  std::shared_ptr<State> state_;  // the transports share it
};

}  // namespace weft::net

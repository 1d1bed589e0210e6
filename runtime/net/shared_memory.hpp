// The transport between processes of one node: a ring in shared memory for each receiver, and reads of each other's
// memory by the kernel.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "runtime/net/transport.hpp"

namespace weft::net {

struct SharedMemoryOptions {
  std::uint32_t workers = 1;         // doorbells
  std::size_t ring_bytes = 1 << 20;  // a power of two; the longest message is a quarter of it
  bool helped = true;        // idle workers of the peers help with long reads; false where they may lose their cores
  bool kernel_reads = true;  // false: reads go by messages, as they do where the kernel refuses to read
  // Each peer gets a ring of its own, so that one that dies in the middle of a record stops no other. Long reads are
  // not helped.
  bool peers_may_die = false;
};

// To start: construct it, publish address(), and connect() to each peer of the node by the address that it has
// published. Only then call anything else. Nothing is left in the system once the processes are gone, however they
// ended.
class SharedMemory final : public Transport {
 public:
  // For process `self` in a job of `processes`. `sink` outlives it. Throws std::runtime_error.
  SharedMemory(ProcessId self, std::uint32_t processes, Sink& sink, const SharedMemoryOptions& options = {});
  ~SharedMemory() override;

  const std::string& address() const;
  // Throws std::runtime_error, one line for the user, when the peer's memory cannot be reached. The peer may be this
  // process.
  void connect(ProcessId peer, std::string_view address);
  // True when the kernel copies from this peer's memory. False where it refuses that, so that reads go by messages.
  bool reads_by_kernel(ProcessId peer) const;

  std::size_t longest_message() const override;
  void send(ProcessId to, std::span<const std::byte> head, std::span<const std::byte> body) override;
  void read(Read& read) override;
  bool poll() override;
  bool help() override;
  Doorbell* doorbell(std::uint32_t worker) override;
  bool may_sleep() override;
  void lose(ProcessId peer) override;
  bool is_drained() const override;

 private:
  struct State;
  const std::unique_ptr<State> state_;
};

}  // namespace weft::net

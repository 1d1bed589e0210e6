// Active messages of one-sided operations between processes, and their replies.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi_shim/rma/strided_regions.hpp"
#include "mpi_shim/rma/window.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/p2p/wire.hpp"

namespace weft::mpi_shim::rma {

enum class RmaMessageKind : std::uint8_t {
  put,         // the payload goes to the regions
  put_long,    // the target reads `bytes` from address `skip` in the origin's process, and writes them to `address`
  get,         // the reply has the regions' bytes
  accumulate,  // payload: the operand; if there is a token, the reply has the old values
  swap,        // payload: the value to compare with, and the new value; the reply has the old value
  lock,        // the reply comes once the lock is held
  unlock,
  flush,  // the reply says that all earlier messages have been executed
  posted,
  completed,
  reply,  // the payload goes to the origin's result buffer, from packed byte `skip` on
};

// The header of each message. `regions` StridedRegions and the payload follow it. Without regions the message is about
// `bytes` contiguous bytes at `address`.
struct MessageHeader {
  std::uint32_t window = 0;
  RmaMessageKind kind{};
  bool exclusive = false;
  std::uint16_t regions = 0;
  std::int32_t target = 0;  // a member's number in the window's group, and so is the next
  std::int32_t origin = 0;
  std::uint64_t token = 0;  // names the Transfer of which a reply completes a part; 0: no reply
  std::uint64_t address = 0;
  std::uint64_t skip = 0;  // see RmaMessageKind
  std::uint64_t bytes = 0;
  std::uint32_t op = 0;       // a handle
  std::uint32_t element = 0;  // the handle of a datatype
};
static_assert(sizeof(MessageHeader) == 56);

// A message's parts as they go to Cluster::send_active_message().
class RmaMessage {
 public:
  explicit RmaMessage(const MessageHeader& header) { wire_.header = header; }
  void send(const runtime::Job& job, ProcessId to, std::span<const std::byte> payload = {});
  void send(const runtime::Job& job, ProcessId to, std::span<const StridedRegion> regions,
            std::span<const std::byte> payload);

 private:
  struct {
    runtime::WireHead wire_head;
    MessageHeader header;
  } wire_;
};

// The outstanding replies of one call. Deletes itself in part_done() after the last one. A reply may come on any
// thread.
struct Transfer {
  // Starts with one part outstanding.
  explicit Transfer(Window& of) : window(of) { window.outstanding.begin(); }
  std::uint64_t token() { return reinterpret_cast<std::uint64_t>(this); }

  Window& window;
  std::atomic<std::uint32_t> parts_left = 1;
  runtime::Request* request = nullptr;   // completed at the end
  runtime::Buffer into;                  // for the data of replies
  std::shared_ptr<const Datatype> type;  // keeps the layout of `into` alive
};
void part_done(Transfer& transfer);

// Tells a waiter that it holds the lock now.
void grant(const runtime::Job& job, const Waiter& waiter);
void grant_all(const runtime::Job& job, std::span<const Waiter> waiters);

// MpiLayer::on_active_message().
void serve(runtime::Job& job, ProcessId from, std::span<const std::byte> message);

// Start a read of another process's memory, and record its end. No rank changes its process while a read is under way.
void begin_read(runtime::Job& job, net::Read& read);
void end_read(runtime::Job& job);

// The lock that makes accumulates to this rank's memory atomic.
SpinLock& accumulate_lock(int job_rank);

}  // namespace weft::mpi_shim::rma

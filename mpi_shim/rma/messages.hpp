// Messages of one-sided operations between processes, and their replies.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mpi_shim/rma/runs.hpp"
#include "mpi_shim/rma/window.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/p2p/wire.hpp"

namespace weft::mpi_shim::rma {

enum class What : std::uint8_t {
  put,         // payload to the runs
  put_long,    // `bytes` at `address` are to be read from `skip`, in the origin's memory
  get,         // the reply brings the runs' bytes
  accumulate,  // payload; with a token the reply brings what was there
  swap,        // payload: what to compare with, and what to put there
  lock,        // the reply comes when it is held
  unlock,
  flush,  // the reply says that all that came before is done
  posted,
  completed,
  reply,  // payload, from packed byte `skip` on
};

// Head of each message; behind it `runs` Runs and the payload. No runs: `bytes` in a row at `address`.
struct Words {
  std::uint32_t window = 0;
  What what{};
  bool exclusive = false;
  std::uint16_t runs = 0;
  std::int32_t target = 0;  // members
  std::int32_t origin = 0;
  std::uint64_t token = 0;  // the Transfer that a reply ends a part of; 0: no reply
  std::uint64_t address = 0;
  std::uint64_t skip = 0;
  std::uint64_t bytes = 0;
  std::uint32_t op = 0;  // handles
  std::uint32_t element = 0;
};
static_assert(sizeof(Words) == 56);

// A message's parts as they go to Cluster::activate().
class Message {
 public:
  explicit Message(const Words& words) { head_.words = words; }
  void send(const runtime::Job& job, ProcessId to, std::span<const std::byte> payload = {});
  // With runs.
  void send(const runtime::Job& job, ProcessId to, std::span<const Run> runs, std::span<const std::byte> payload);

 private:
  struct {
    runtime::WireHead room;
    Words words;
  } head_;
};

// One call's parts that other processes answer; ends with the last of them. A reply may come on any thread.
struct Transfer {
  // Begins with one part.
  explicit Transfer(Window& of) : window(of) { window.unanswered.begin(); }
  std::uint64_t token() { return reinterpret_cast<std::uint64_t>(this); }

  Window& window;
  std::atomic<std::uint32_t> left = 1;
  runtime::Request* request = nullptr;   // completed at the end
  runtime::Buffer into;                  // for what replies bring
  std::shared_ptr<const Datatype> type;  // keeps `into` good
};
void part_done(Transfer& transfer);

// Grants a lock to one who waited for it.
void grant(const runtime::Job& job, const Waiter& waiter);
void grant_all(const runtime::Job& job, std::span<const Waiter> waiters);

// MpiLayer::active().
void serve(runtime::Job& job, ProcessId from, std::span<const std::byte> text);

// Reads of other processes' memory that must end before ranks move.
void begin_read(runtime::Job& job, net::Read& read);
void end_read(runtime::Job& job);

// The lock of all accumulates to memory of this rank.
SpinLock& accumulate_lock(int world_rank);

}  // namespace weft::mpi_shim::rma

// Messages between ranks of different processes: what point_to_point.cpp calls when the peer lives in another process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>

#include "runtime/net/transport.hpp"
#include "runtime/p2p/envelope_pool.hpp"
#include "runtime/p2p/point_to_point.hpp"
#include "runtime/p2p/unexpected_memory.hpp"
#include "runtime/p2p/wire.hpp"

namespace weft::runtime {
inline namespace p2p {

class MessageWorker;

// The way to ranks of other processes, which runtime/control implements. One for each process of a job. The functions
// are for any thread, unless they say otherwise.
class Remote {
 public:
  Remote(ProcessId self, std::uint32_t workers) : self_(self), pool_(workers, workers + 1) {}
  virtual ~Remote() = default;
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  ProcessId self() const { return self_; }
  // A rank of the job, by its number.
  virtual Endpoint& endpoint(std::uint32_t rank) const = 0;
  // Most bytes that may follow the head of one message.
  virtual std::size_t longest_body() const = 0;
  // Returns once it no longer needs `head` and `body`.
  virtual void send(ProcessId to, const WireHead& head, std::span<const std::byte> body = {}) = 0;
  // Starts a read from another process: see net::Read.
  virtual void read(net::Read& read) = 0;
  // Takes credit for so many bytes, sent eagerly to a process; false if there is not enough. Credit limits how much of
  // the receiver's memory eager messages use. `here` is the calling worker.
  virtual bool take_credit(MessageWorker& here, ProcessId to, std::size_t bytes) = 0;
  // An eager message of so many bytes has been received: its sender may send as many again.
  virtual void return_credit(ProcessId from, std::size_t bytes) = 0;
  // The memory for messages beyond that credit.
  virtual UnexpectedMemory& unexpected_memory() = 0;
  // The pool that the envelope came from.
  virtual EnvelopePool& home_of(const Envelope& message) = 0;

  // With --survive api: processes may die, so that sends fail and acknowledgements may come for sends that have ended.
  // Set before any message.
  bool loses_processes = false;
  // Whether this process has died: what is sent to it is dropped.
  virtual bool is_lost(ProcessId process) const = 0;

  // For threads that are no worker of the job. To be used while holding `pool_mutex`.
  EnvelopePool& pool() { return pool_; }
  std::mutex pool_mutex;

  // on_reads_ended: called when the last read of a payload has ended, on any thread; set before any message.
  // rendezvous_reads: how many such reads are under way.
  std::function<void()> on_reads_ended;
  std::atomic<std::uint32_t> rendezvous_reads = 0;
  void begin_read() {
    // Pairs with end_read(), and with ParticipantRole::reads_under_way() and Termination::asleep(), which ask whether
    // all have ended.
    rendezvous_reads.fetch_add(1, std::memory_order_acq_rel);
  }
  void end_read() {
    // Pairs with begin_read(), and with end_read() of other reads: the last one acts when all payloads are there.
    if (rendezvous_reads.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      on_reads_ended();
    }
  }

 private:
  const ProcessId self_;
  EnvelopePool pool_;
};

// How much of the receiver's memory an eager message takes.
std::size_t eager_cost(std::size_t payload);

// start_send() to a rank of another process. `request` has been prepared (Request::prepare_send()).
void send_remote(Endpoint& me, Endpoint& to, SendMode mode, Request& request);

// Moves a message that this worker, which is polling, has got from a transport straight into the posted receive that it
// matches. False, and nothing is done, when there is no such receive here or older messages may still be in the inbox.
bool receive_at_once(MessageWorker& worker, const WireHead& head, std::span<const std::byte> body);
// Pushes any other message into the inbox of its receiver's worker. Any thread.
void deliver_remote(Endpoint& to, Envelope& message, const WireHead& head, std::span<const std::byte> body,
                    ProcessId from);

// The receiver has matched and read send `id` of `sender`, a rank of this process. Any thread.
void finish_send(Endpoint& sender, std::uint64_t id);

// Tells a sender, wherever it lives, that its send `id` has been matched and read.
void notify_sender(Remote& remote, std::uint32_t sender, std::uint64_t id);

// Releases an envelope; `here` is the pool of the calling thread.
void end_envelope(Remote& remote, EnvelopePool& here, Envelope& message);

// Fills a matched receive of this worker from a message with a remote sender or from another process, and releases the
// envelope. False when the payload is still on its way: then the receive's worker finishes the receive later.
bool fill_from_remote(MessageWorker& worker, Envelope& message, Request& receive);

}  // namespace p2p
}  // namespace weft::runtime

// Messages between ranks of different processes: what point_to_point.cpp does when the other end lives elsewhere.
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

// The way to ranks of other processes, which runtime/control implements. One for each process of a job. Any thread,
// unless it says otherwise.
class Remote {
 public:
  Remote(ProcessId self, std::uint32_t workers) : self_(self), pool_(workers, workers + 1) {}
  virtual ~Remote() = default;
  Remote(const Remote&) = delete;
  Remote& operator=(const Remote&) = delete;

  ProcessId self() const { return self_; }
  // Any rank of the job, by its number.
  virtual Endpoint& endpoint(std::uint32_t rank) const = 0;
  // Most bytes that may follow the head of one message.
  virtual std::size_t longest_body() const = 0;
  // Copies or keeps what it is given.
  virtual void send(ProcessId to, const WireHead& head, std::span<const std::byte> body = {}) = 0;
  virtual void read(net::Read& read) = 0;
  // Whether so many bytes may go to a process eagerly, now: counts them if so. Then its memory cannot be flooded.
  // `here` is the calling worker.
  virtual bool take_credit(MessageWorker& here, ProcessId to, std::size_t bytes) = 0;
  // A message that came eagerly has been received.
  virtual void consumed(ProcessId from, std::size_t bytes) = 0;
  // What goes beyond that credit.
  virtual UnexpectedMemory& unexpected_memory() = 0;
  // The pool that the envelope came from.
  virtual EnvelopePool& home_of(const Envelope& message) = 0;

  // With --survive api, which is set before any message: sends may fail, and be answered later.
  bool loses_processes = false;
  // What is sent to this process is dropped.
  virtual bool is_lost(ProcessId process) const = 0;

  // For threads that are no worker of the job: hold `pool_mutex` while calling it.
  EnvelopePool& pool() { return pool_; }
  std::mutex pool_mutex;

  // Reads of messages' payloads that are under way; and what is done when there are no more, on whatever thread. Set
  // before any message.
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

// What an eager message takes of the receiver's memory.
std::size_t eager_cost(std::size_t payload);

// start_send() to a rank of another process; `request` is filled in but for `done`.
void send_remote(Endpoint& me, Endpoint& to, SendMode mode, Request& request);

// A message that a transport brought to this worker, which is polling: straight into the posted receive that it
// matches. False, and nothing is done, when there is none here or older messages may still be in the inbox.
bool receive_at_once(MessageWorker& worker, const WireHead& head, std::span<const std::byte> body);
// Any other one: into the inbox of its receiver's worker. Any thread.
void deliver_remote(Endpoint& to, Envelope& message, const WireHead& head, std::span<const std::byte> body,
                    ProcessId from);

// The receiver has matched and read send `id` of `sender`, a rank of this process. Any thread.
void finish_send(Endpoint& sender, std::uint64_t id);

// Tells a sender, wherever it lives, that its send `id` has been matched and read.
void tell_sender(Remote& remote, std::uint32_t sender, std::uint64_t id);

// Gives an envelope back; `here` is the pool of the calling thread.
void end_envelope(Remote& remote, EnvelopePool& here, Envelope& message);

// Fills a matched receive of this worker from a message whose sender, or whose payload, is far away, and ends the
// envelope. False when the payload is still on its way: then the receive is finished later, by its worker.
bool fill_from_remote(MessageWorker& worker, Envelope& message, Request& receive);

}  // namespace p2p
}  // namespace weft::runtime

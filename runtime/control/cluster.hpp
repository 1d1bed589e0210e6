// The job's processes, as one of them sees them: how it reaches the others, and how much they may send eagerly.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "runtime/net/transport.hpp"
#include "runtime/p2p/remote.hpp"

namespace weft::runtime {
inline namespace sched {
class Worker;
}  // namespace sched

inline namespace control {

class RankTable;
struct JobContext;

// Receives the pieces of control messages: control_channel.hpp.
class ControlReceiver {
 public:
  virtual ~ControlReceiver() = default;
  // Called on one thread at a time: see net::Sink.
  virtual void receive_piece(ProcessId from, const WireHead& head, std::span<const std::byte> piece) = 0;
};

// Constant after attach(), except what says otherwise.
class Cluster final : public net::Sink, public Remote {
 public:
  // workers[p]: how many workers process p has.
  Cluster(ProcessId self, std::vector<std::uint32_t> workers);
  ~Cluster() override;
  // Before a job is made. Borrowed. Nothing may arrive before the job exists.
  void set_transport(net::Transport& transport) {
    transport_ = &transport;
    longest_body_ = transport.longest_message() - sizeof(WireHead);
  }
  // Called by the job's constructor.
  void attach(const JobContext& job);
  void set_control_receiver(ControlReceiver& receiver) { control_ = &receiver; }

  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_worker_.size() - 1); }
  // Workers are numbered through the job, process after process.
  std::uint32_t first_worker(ProcessId process) const { return first_worker_[number(process)]; }
  std::uint32_t worker_count() const { return first_worker_.back(); }
  ProcessId process_of(std::uint32_t worker) const;

  net::Transport& transport() const { return *transport_; }

  // Lets messages arrive; true when something was done (Transport::poll()). Any thread.
  bool poll() { return transport_->poll(); }

  // Most bytes that may follow the head of one message.
  std::size_t longest_body() const override { return longest_body_; }
  // Any thread.
  void send(ProcessId to, const WireHead& head, std::span<const std::byte> body = {}) override;
  void read(net::Read& read) override { transport_->read(read); }
  Endpoint& endpoint(std::uint32_t rank) const override;
  EnvelopePool& home_of(const Envelope& message) override;
  // Any thread. Sends a message for UpperLayer::on_active_message() of that process: a text, in front of which there is
  // room for a WireHead, then `body`; together they have at most longest_body() bytes. Such messages keep their order
  // among themselves and with messages of ranks.
  void send_active_message(ProcessId to, std::span<std::byte> head_and_text, std::span<const std::byte> body = {});
  bool take_credit(MessageWorker& here, ProcessId to, std::size_t bytes) override;
  UnexpectedMemory& unexpected_memory() override { return *unexpected_memory_; }
  // The lowest-numbered process that is not lost. It coordinates the end of the job and spawning.
  ProcessId first_living_process() const;
  // Notes that a process has died. Any thread, only where loses_processes is set. Pairs with is_lost().
  void lose(ProcessId process);
  bool is_lost(ProcessId process) const override {
    return peers_[number(process)].lost.load(std::memory_order_acquire);  // pairs with lose()
  }
  void return_credit(ProcessId from, std::size_t bytes) override;

  // How many messages this process has sent to and received from others: those between ranks, and the counted kinds of
  // control messages.
  std::uint64_t sent() const;
  // Pairs with count_received(): a thread that sees the count also sees what the counted messages did.
  std::uint64_t received() const { return received_.load(std::memory_order_acquire); }
  void count_sent();      // any thread
  void count_received();  // one thread at a time: see net::Sink

  void arrived(ProcessId from, std::span<const std::byte> message) override;

  // How much of UnexpectedMemory::kCredit a worker takes at a time, and so the most that it holds back for itself.
  static constexpr std::int64_t kCreditPortion = 16 << 10;

 private:
  MessageWorker* current_worker() const;
  void return_credit_when_polling(ProcessId from, std::size_t bytes);  // as return_credit(), on the polling thread
  void send_credit(ProcessId to, std::int64_t bytes);
  void deliver(const WireHead& head, std::span<const std::byte> body, ProcessId from);
  void acknowledge_send(const WireHead& head);

  struct alignas(64) Peer {
    std::atomic<std::int64_t> credit = UnexpectedMemory::kCredit;  // left for this process's eager messages
    std::atomic<std::int64_t> unreturned_credit = 0;  // of messages received, for which the sender has not got it back
    std::int64_t unreturned_when_polling = 0;         // the same; touched by the polling thread only
    std::atomic<bool> lost = false;                   // it has died
  };

  std::vector<std::uint32_t> first_worker_;  // by process; then how many workers there are in all
  net::Transport* transport_ = nullptr;
  std::size_t longest_body_ = 0;
  const JobContext* job_ = nullptr;
  // Copied from job_, which saves a load for each message.
  const RankTable* ranks_ = nullptr;
  std::span<Worker* const> workers_;  // of this process
  std::unique_ptr<Peer[]> peers_;
  ControlReceiver* control_ = nullptr;
  std::unique_ptr<UnexpectedMemory> unexpected_memory_;
  alignas(64) std::atomic<std::uint64_t> sent_ = 0;  // by threads that are no workers
  alignas(64) std::atomic<std::uint64_t> received_ = 0;
};

}  // namespace control
}  // namespace weft::runtime

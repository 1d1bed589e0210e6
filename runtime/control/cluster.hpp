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

// Takes the pieces of control messages: control_channel.hpp.
class ControlReceiver {
 public:
  virtual ~ControlReceiver() = default;
  // One at a time: see net::Sink.
  virtual void receive_piece(ProcessId from, const WireHead& head, std::span<const std::byte> piece) = 0;
};

// Constant after use(), except what says otherwise.
class Cluster final : public net::Sink, public Remote {
 public:
  // workers[p]: how many workers process p has.
  Cluster(ProcessId self, std::vector<std::uint32_t> workers);
  ~Cluster() override;
  // Before any job is made; borrowed. Nothing may arrive before the job exists.
  void use(net::Transport& transport) {
    transport_ = &transport;
    longest_body_ = transport.longest_message() - sizeof(WireHead);
  }
  // By the job's constructor.
  void serve(const JobContext& job);
  void set_control_receiver(ControlReceiver& receiver) { control_ = &receiver; }

  std::uint32_t count() const { return static_cast<std::uint32_t>(first_worker_.size() - 1); }
  // Workers are numbered through the whole job, process after process.
  std::uint32_t first_worker(ProcessId process) const { return first_worker_[number(process)]; }
  std::uint32_t worker_count() const { return first_worker_.back(); }
  ProcessId process_of(std::uint32_t worker) const;

  net::Transport& transport() const { return *transport_; }

  // Lets messages arrive. Any thread.
  bool poll() { return transport_->poll(); }

  // Most bytes that may follow the head of one message.
  std::size_t longest_body() const override { return longest_body_; }
  // Any thread. Copies or keeps what it is given.
  void send(ProcessId to, const WireHead& head, std::span<const std::byte> body = {}) override;
  void read(net::Read& read) override { transport_->read(read); }
  Endpoint& endpoint(std::uint32_t rank) const override;
  EnvelopePool& home_of(const Envelope& message) override;
  // A message for UpperLayer::active() there: `text`, before which lies room for a WireHead, and `body` behind it, at
  // most longest_body() bytes together. They keep their order among themselves and with messages. Any thread.
  void activate(ProcessId to, std::span<std::byte> head_and_text, std::span<const std::byte> body = {});
  bool take_credit(MessageWorker& here, ProcessId to, std::size_t bytes) override;
  UnexpectedMemory& unexpected_memory() override { return *unexpected_memory_; }
  // Who counts the ranks that have ended: the first process that lives.
  ProcessId coordinator() const;
  // Only where loses_processes is set. Any thread; pairs with is_lost().
  void lose(ProcessId process);
  bool is_lost(ProcessId process) const override {
    return peers_[number(process)].lost.load(std::memory_order_acquire);  // pairs with lose()
  }
  void consumed(ProcessId from, std::size_t bytes) override;

  // What this process has sent to and received from others: between ranks, and the counted kinds of control messages.
  std::uint64_t sent() const;
  // Pairs with count_received(): who sees the count also sees what the counted messages did.
  std::uint64_t received() const { return received_.load(std::memory_order_acquire); }
  void count_sent();      // any thread
  void count_received();  // one at a time: see net::Sink

  void arrived(ProcessId from, std::span<const std::byte> message) override;

  // What of UnexpectedMemory::kCredit a worker may hold back for itself.
  static constexpr std::int64_t kPortion = 16 << 10;

 private:
  MessageWorker* current_worker() const;
  void consumed_at_once(ProcessId from, std::size_t bytes);  // as consumed(), by the polling thread
  void give_credit(ProcessId to, std::int64_t bytes);
  void deliver(const WireHead& head, std::span<const std::byte> body, ProcessId from);
  void answer(const WireHead& head);

  struct alignas(64) Peer {
    std::atomic<std::int64_t> credit = UnexpectedMemory::kCredit;  // still free for this process's eager messages
    std::atomic<std::int64_t> consumed = 0;  // received, and the sender has not got the credit back yet
    std::int64_t consumed_at_once = 0;       // the same, the polling thread's
    std::atomic<bool> lost = false;
  };

  std::vector<std::uint32_t> first_worker_;  // by process, then the number of all
  net::Transport* transport_ = nullptr;
  std::size_t longest_body_ = 0;
  const JobContext* job_ = nullptr;
  // These of it: one load less for each message.
  const RankTable* ranks_ = nullptr;
  std::span<Worker* const> workers_;  // of this process
  std::unique_ptr<Peer[]> peers_;
  ControlReceiver* control_ = nullptr;
  std::unique_ptr<UnexpectedMemory> unexpected_memory_;
  alignas(64) std::atomic<std::uint64_t> sent_ = 0;  // by threads that are no worker
  alignas(64) std::atomic<std::uint64_t> received_ = 0;
};

}  // namespace control
}  // namespace weft::runtime

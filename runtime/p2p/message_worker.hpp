// What a worker keeps for the messages of its ranks: envelope pool, prefetch hints, cached credit.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/p2p/envelope_pool.hpp"
#include "runtime/sched/worker.hpp"

namespace weft::runtime {
inline namespace p2p {

class Remote;

struct MessageConfig {
  std::size_t eager_bytes = 0;           // longer messages go by rendezvous
  std::uint32_t workers = 1;             // of this process
  std::uint32_t processes = 1;           // of the job
  EnvelopePool* const* pools = nullptr;  // by worker, then the one for threads that are no worker; constant
  Remote* remote = nullptr;              // the way to ranks of other processes
  bool ranks_may_leave = false;          // to other workers of the process, at any time (--lb-continuous)
  bool fences_posts = false;             // posting needs a fence: the system has no asymmetric one
};

// Every worker of a job is one. Touched by its own thread only, except sent() and is_posting().
class MessageWorker : public Worker {
 public:
  MessageWorker(WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config,
                const MessageConfig& messages)
      : Worker(worker, worker_hooks, config),
        eager_bytes_(messages.eager_bytes),
        pools_(messages.pools),
        remote_(*messages.remote),
        ranks_may_leave_(messages.ranks_may_leave),
        fences_posts_(messages.fences_posts),
        pool_(number(worker), messages.workers + 1),
        credits_(messages.processes) {}

  static MessageWorker& of(Worker& worker) { return static_cast<MessageWorker&>(worker); }
  static const MessageWorker& of(const Worker& worker) { return static_cast<const MessageWorker&>(worker); }

  std::size_t eager_bytes() const { return eager_bytes_; }
  EnvelopePool& pool() { return pool_; }
  EnvelopePool& pool_of(std::uint32_t worker) const { return *pools_[worker]; }
  PrefetchHints& prefetch_hints() { return prefetch_hints_; }  // of what it pushes to others' inboxes
  Remote& remote() const { return remote_; }

  bool ranks_may_leave() const { return ranks_may_leave_; }
  // On the worker's thread: it is inside location::post(). Another worker waits in LocationOperations::wait_for_posts()
  // until it no longer is. Between this store and the load of the rank's location that follows there must be a
  // store-load fence, or both workers could miss each other. The other worker's asymmetric fence is one, where the
  // system has it.
  void begin_post() {
    if (!ranks_may_leave_) [[likely]] {
      return;
    }
    if (fences_posts_) {
      posting_.exchange(true, std::memory_order_seq_cst);  // a full fence on x86; pairs with set() of WorkerWord
    } else {
      posting_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // pairs with asymmetric_fence() in wait_for_posts()
    }
  }
  void end_post() {
    if (ranks_may_leave_) [[unlikely]] {
      posting_.store(false, std::memory_order_release);  // pairs with is_posting(): what was pushed is visible then
    }
  }
  // Any worker.
  bool is_posting() const { return posting_.load(std::memory_order_acquire); }  // pairs with end_post()

  // Whether it is letting messages from other processes arrive at the moment.
  bool polls() const { return polls_; }
  void set_polls(bool polls) { polls_ = polls; }
  // Counts a message of this worker to another process; sent(): how many, for any thread. A thread that sees the count
  // sees that the message is under way.
  void count_sent() {
    sent_.store(sent_.load(std::memory_order_relaxed) + 1, std::memory_order_release);  // pairs with sent()
  }
  std::uint64_t sent() const { return sent_.load(std::memory_order_acquire); }  // pairs with count_sent()

  // The credit for sends to a process (see Remote::take_credit()) that this worker has taken and not used.
  std::int64_t& cached_credit(ProcessId process) { return credits_[number(process)]; }

 private:
  const std::size_t eager_bytes_;
  EnvelopePool* const* const pools_;
  Remote& remote_;
  const bool ranks_may_leave_;
  const bool fences_posts_;
  std::atomic<bool> posting_ = false;
  bool polls_ = false;
  std::atomic<std::uint64_t> sent_ = 0;
  EnvelopePool pool_;
  PrefetchHints prefetch_hints_;
  std::vector<std::int64_t> credits_;  // by process
};

}  // namespace p2p
}  // namespace weft::runtime

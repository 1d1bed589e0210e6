// A worker that exchanges ready ranks with the others of its process while they run (--lb-continuous).
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "runtime/control/rank.hpp"
#include "runtime/p2p/message_worker.hpp"
#include "runtime/sched/steal_slots.hpp"

namespace weft::runtime {
inline namespace control {
struct JobContext;
}  // namespace control

inline namespace job {
class Job;
}  // namespace job

inline namespace location {

class ContinuousBalancer;

// Every worker of a job is one; without the option ranks are neither shared, exposed nor stolen. Touched by its
// worker's thread, but for claim_idle() and what other workers steal.
// Aligned to a pair of cache lines, which a core fetches together: the next worker's thread writes to what lies behind.
class alignas(128) SharingWorker : public MessageWorker {
 public:
  SharingWorker(Job& its, WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config,
                const MessageConfig& messages)
      : MessageWorker(worker, worker_hooks, config, messages), job_(its) {}
  // Before it runs. `balancer` is null without the option.
  void serve(const JobContext& context, ContinuousBalancer* balancer);

  static SharingWorker& of(Worker& worker) { return static_cast<SharingWorker&>(worker); }
  static const SharingWorker& of(const Worker& worker) { return static_cast<const SharingWorker&>(worker); }
  Job& job() const { return job_; }
  std::span<Worker* const> workers() const { return workers_; }
  // Counted through all processes of the job.
  std::uint32_t global_number() const { return global_number_; }

  // WorkerHooks::scheduling_point: gives ready ranks to the workers where they belong, and to idle ones.
  void share();
  // WorkerHooks::before_switch: exposes ready ranks, which other workers may steal meanwhile; not `left`, whose stack
  // is still in use.
  void expose(const ExecutionContext& next, const ExecutionContext& left);
  void withdraw_exposed();
  // WorkerHooks::on_idle: steals a rank that another worker has exposed.
  bool steal();
  // It has nothing to do, and says so.
  void mark_idle();
  // It has nothing to do, and has not been given anything yet: true for one caller. Any worker.
  bool claim_idle();
  StealSlots& steal_slots() { return steal_slots_; }

 private:
  SharingWorker& neighbour(std::size_t distance) const;
  // Taken out of the ready queue; null when none is to be given away.
  Rank* spare_rank(std::uint64_t now);
  void give_as_planned();   // those ready ranks that belong to another worker
  void move_temporarily();  // ready ranks to idle workers

  Job& job_;
  // Constant while it runs.
  ContinuousBalancer* balancer_ = nullptr;
  std::span<Worker* const> workers_;  // of its process, with itself
  std::uint32_t global_number_ = 0;
  std::uint64_t shortest_ = 0;  // ticks that a rank must run at a time for its moving to be worth it

  std::atomic<bool> idle_ = false;
  std::uint64_t tried_to_share_ = 0;
  StealSlots steal_slots_;
};

}  // namespace location
}  // namespace weft::runtime

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

// Every worker of a job is one; without the option ranks are neither given away, exposed nor stolen. Touched by its own
// thread only, except claim_idle() and the steal slots.
// Aligned to a pair of cache lines, which a core fetches together: another worker's thread writes to the lines behind.
class alignas(128) BalancingWorker : public MessageWorker {
 public:
  BalancingWorker(Job& its, WorkerId worker, const WorkerHooks& worker_hooks, const WorkerConfig& config,
                  const MessageConfig& messages)
      : MessageWorker(worker, worker_hooks, config, messages), job_(its) {}
  // Before it runs. `balancer` is null without the option.
  void attach(const JobContext& context, ContinuousBalancer* balancer);

  static BalancingWorker& of(Worker& worker) { return static_cast<BalancingWorker&>(worker); }
  static const BalancingWorker& of(const Worker& worker) { return static_cast<const BalancingWorker&>(worker); }
  Job& job() const { return job_; }
  std::span<Worker* const> workers() const { return workers_; }
  // Its number among the workers of all processes of the job.
  std::uint32_t global_number() const { return global_number_; }

  // WorkerHooks::scheduling_point: gives ready ranks to their target workers and, as temporary moves, to idle ones.
  void give_ready_ranks();
  // WorkerHooks::before_switch: exposes ready ranks, which other workers may steal meanwhile; not `left`, whose stack
  // is still in use.
  void expose(const ExecutionContext& next, const ExecutionContext& left);
  // WorkerHooks::withdraw_exposed: takes back the exposed ranks that nobody has stolen; they run next.
  void withdraw_exposed();
  // WorkerHooks::on_idle: steals a rank that another worker has exposed.
  bool steal();
  // It has nothing to do: requests a plan, and lets other workers see that it would take a rank.
  void announce_idle();
  // Ends that; true for one caller after each announce_idle(). Called by other workers, of which the one that gets true
  // gives it a rank, and by itself (WorkerHooks::idle_over).
  bool claim_idle();
  StealSlots& steal_slots() { return steal_slots_; }

 private:
  BalancingWorker& neighbour(std::size_t distance) const;
  // Takes a rank for a temporary move out of the ready queue; null when there is none.
  Rank* take_movable_rank(std::uint64_t now);
  void give_planned_ranks();  // gives ready ranks to their target workers
  void move_temporarily();    // gives ready ranks to idle workers

  Job& job_;
  // Constant while it runs.
  ContinuousBalancer* balancer_ = nullptr;
  std::span<Worker* const> workers_;  // of its process, with itself
  std::uint32_t global_number_ = 0;
  std::uint64_t least_segment_ = 0;  // ticks for which a rank must run at a time for a move to be worth its cost

  std::atomic<bool> idle_ = false;
  std::uint64_t last_give_attempt_ = 0;  // ticks
  StealSlots steal_slots_;
};

}  // namespace location
}  // namespace weft::runtime

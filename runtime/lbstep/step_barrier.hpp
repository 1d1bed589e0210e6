// The barrier at which the ranks of a process wait in a balancing step: for the decision, and for the end of the moves.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>

#include "runtime/sched/inbox.hpp"

namespace weft::runtime {
inline namespace sched {
class Worker;
struct ExecutionContext;
}  // namespace sched

inline namespace lbstep {

// Opens twice in each step: generation 2n - 1 of step n when moves may begin, 2n when the step is over. A step without
// moves opens 2n at once. Ranks wait on their workers, each of which wakes its own ranks.
class StepBarrier {
 public:
  explicit StepBarrier(std::span<Worker* const> workers);

  // Barrier generation of a balancing step; the second one is even.
  static std::uint64_t moves_of(std::uint64_t step) { return 2 * step - 1; }
  static std::uint64_t end_of(std::uint64_t step) { return 2 * step; }

  // Pairs with open(): a rank that sees the generation sees what was decided before.
  bool is_open(std::uint64_t generation) const { return opened_.load(std::memory_order_acquire) >= generation; }
  bool is_open_for_good() const { return is_open(kForGood); }
  // Called before any rank runs, in a job that restarts.
  void go_on_from(std::uint64_t generation) { opened_.store(generation, std::memory_order_relaxed); }
  // Guarded by the step's lock. Does nothing once the barrier is open for good.
  void open(std::uint64_t generation);
  void open_for_good() { open(kForGood); }
  // Suspends the running context of a rank until is_open(generation).
  void wait(ExecutionContext& me, std::uint64_t generation);

 private:
  // A worker's part; only its thread accesses the list. As an item in the worker's inbox it wakes the contexts.
  struct alignas(64) WorkerNode : InboxItem {
    ExecutionContext* waiting = nullptr;
    std::atomic<bool> in_inbox = false;
  };

  static void wake_waiting(Worker& here, InboxItem& item);

  static constexpr std::uint64_t kForGood = UINT64_MAX;

  const std::span<Worker* const> workers_;     // of this process
  std::atomic<std::uint64_t> opened_ = 0;      // the latest generation that is open
  const std::unique_ptr<WorkerNode[]> nodes_;  // by worker
};

}  // namespace lbstep
}  // namespace weft::runtime

// Where the ranks of a process wait in a balancing step: for the decision, and for the end of the moves.
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

// Opens twice in each step, by generations: 2n - 1 in step n when moves may begin, 2n when the step is over. A step
// without moves goes to 2n at once. Ranks wait on their workers, each of which wakes its own.
class StepBarrier {
 public:
  explicit StepBarrier(std::span<Worker* const> workers);

  // Barrier generation of a balancing step; the second one is even.
  static std::uint64_t moves_of(std::uint64_t step) { return 2 * step - 1; }
  static std::uint64_t end_of(std::uint64_t step) { return 2 * step; }

  // Pairs with open(): what was decided before is visible to who sees it.
  bool is_open(std::uint64_t generation) const { return opened_.load(std::memory_order_acquire) >= generation; }
  bool is_open_for_good() const { return is_open(kForGood); }
  // Before any rank runs, in a job that restarts.
  void go_on_from(std::uint64_t generation) { opened_.store(generation, std::memory_order_relaxed); }
  // Under the step's lock. Nothing, once it is open for good.
  void open(std::uint64_t generation);
  void open_for_good() { open(kForGood); }
  // Suspends the running context, a rank's own, until is_open(generation).
  void wait(ExecutionContext& me, std::uint64_t generation);

 private:
  // A worker's part, whose thread alone touches the list. As an item in its inbox it wakes them.
  struct alignas(64) WorkerNode : InboxItem {
    ExecutionContext* waiting = nullptr;
    std::atomic<bool> in_inbox = false;
  };

  static void wake_waiting(Worker& here, InboxItem& item);

  static constexpr std::uint64_t kForGood = UINT64_MAX;

  const std::span<Worker* const> workers_;  // of this process
  std::atomic<std::uint64_t> opened_ = 0;
  const std::unique_ptr<WorkerNode[]> nodes_;  // by worker
};

}  // namespace lbstep
}  // namespace weft::runtime

// Where the ranks of a process wait in a balancing step: for the decision, and for the end of the moves.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::runtime {

class Worker;
struct ExecutionContext;
struct InboxItem;

// Counts its openings; a step has two. Ranks wait on their workers, each of which wakes its own.
class StepBarrier {
 public:
  // In a process with so many workers.
  explicit StepBarrier(std::uint32_t workers) : waiting_(workers) {}

  // Pairs with open(): what was decided before is visible to who sees it.
  bool is_open(std::uint64_t opening) const { return opened_.load(std::memory_order_acquire) >= opening; }
  // Before any rank runs, in a job that restarts.
  void go_on_from(std::uint64_t opening) { opened_.store(opening, std::memory_order_relaxed); }
  // Any thread.
  void open(std::uint64_t opening, std::span<Worker* const> workers);
  // Suspends the running context, a rank's own, until is_open(opening).
  void wait(ExecutionContext& me, std::uint64_t opening);

 private:
  struct Opening;
  static void wake_waiting(Worker& here, InboxItem& item);

  std::atomic<std::uint64_t> opened_ = 0;
  std::vector<ExecutionContext*> waiting_;  // lists by worker, whose thread alone touches its own
};

}  // namespace weft::runtime

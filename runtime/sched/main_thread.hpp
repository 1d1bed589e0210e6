// What the main thread of a process does while the workers run: it waits for tasks, for the sleep of all workers, and
// for the end of the job.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

namespace weft::runtime {
inline namespace sched {

class MainThread {
 public:
  explicit MainThread(std::uint32_t workers) : workers_(workers) {}

  // Any thread: has the main thread run this task. For what takes long or much stack, such as moving ranks to other
  // processes.
  void post(std::function<void()> task);
  // Any thread, once all ranks of the job have ended: run() returns.
  void end();
  // On a worker's thread. worker_sleeps(): the worker is about to sleep. worker_wakes(): it has woken. worker_failed():
  // it cannot run; run() returns `why`, which is not empty.
  void worker_sleeps();
  void worker_wakes() { sleepers_.fetch_sub(1, std::memory_order_acq_rel); }  // pairs with all_sleep()
  void worker_failed(const std::string& why);

  // Whether all workers sleep.
  bool all_sleep() const { return sleepers_.load(std::memory_order_acquire) == workers_; }  // pairs with worker_wakes()
  // How often any worker has gone to sleep; and whether all have slept since that was read. Both pair with
  // worker_sleeps(), which counts the sleep before the sleeper: a worker that woke and sleeps again has changed
  // sleeps().
  std::uint64_t sleeps() const { return sleeps_.load(std::memory_order_acquire); }  // pairs with worker_sleeps()
  bool all_slept_since(std::uint64_t before) const { return all_sleep() && sleeps() == before; }
  bool has_tasks() const;
  // Any thread: whether the main thread runs a task or is about to.
  bool is_busy() const { return unfinished_.load(std::memory_order_relaxed) != 0; }

  // On the main thread. Runs tasks until end(), then returns an empty text; or until a worker has failed, then returns
  // why. While all workers sleep it calls all_asleep() about every millisecond until that returns true or one wakes.
  std::string run(const std::function<bool()>& all_asleep);

 private:
  bool run_task(std::unique_lock<std::mutex>& lock);

  const std::uint32_t workers_;
  std::atomic<std::uint32_t> sleepers_ = 0;
  std::atomic<std::uint64_t> sleeps_ = 0;
  std::atomic<std::uint32_t> unfinished_ = 0;  // tasks

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool all_asleep_ = false;
  bool ended_ = false;
  std::string failure_;
  std::deque<std::function<void()>> tasks_;
};

}  // namespace sched
}  // namespace weft::runtime

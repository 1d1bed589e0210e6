// What the main thread of a process waits for while the workers run: tasks, their sleep, the end.
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

  // Any thread: the main thread does it. For what takes long or much stack, such as moving ranks to other processes.
  void post(std::function<void()> task);
  // Any thread: all ranks of the job have ended.
  void end();
  // On a worker's thread.
  void worker_sleeps();
  void worker_wakes() { sleepers_.fetch_sub(1, std::memory_order_acq_rel); }  // pairs with all_sleep()
  void worker_failed(const std::string& why);

  // Whether all workers sleep.
  bool all_sleep() const { return sleepers_.load(std::memory_order_acquire) == workers_; }  // pairs with worker_wakes()
  // How often any has gone to sleep; and whether all have slept from when that was asked until now. Both pair with
  // worker_sleeps(), which counts the sleep before the sleeper: who had woken and is counted again has changed it.
  std::uint64_t sleeps() const { return sleeps_.load(std::memory_order_acquire); }  // pairs with worker_sleeps()
  bool all_slept_since(std::uint64_t before) const { return all_sleep() && sleeps() == before; }
  bool has_tasks() const;
  // Any thread: whether it runs a task or is about to.
  bool is_busy() const { return unfinished_.load(std::memory_order_relaxed) != 0; }

  // On the main thread. Runs tasks until the end of the job; the first failure of a worker otherwise. While all workers
  // sleep it calls all_asleep() about every millisecond until that returns true or one wakes.
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

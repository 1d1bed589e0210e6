#include "runtime/sched/main_thread.hpp"

#include <utility>

namespace weft::runtime {
inline namespace sched {

void MainThread::post(std::function<void()> task) {
  unfinished_.fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(mutex_);
  tasks_.push_back(std::move(task));
  changed_.notify_one();
}

void MainThread::end() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
  changed_.notify_one();
}

// Both additions pair with all_sleep() and all_slept_since().
void MainThread::worker_sleeps() {
  sleeps_.fetch_add(1, std::memory_order_acq_rel);
  if (sleepers_.fetch_add(1, std::memory_order_acq_rel) + 1 == workers_) {
    const std::lock_guard lock(mutex_);
    all_asleep_ = true;
    changed_.notify_one();
  }
}

void MainThread::worker_failed(const std::string& why) {
  const std::lock_guard lock(mutex_);
  failure_ = why;
  changed_.notify_one();
}

bool MainThread::has_tasks() const {
  const std::lock_guard lock(mutex_);
  return !tasks_.empty();
}

bool MainThread::run_task(std::unique_lock<std::mutex>& lock) {
  if (tasks_.empty()) {
    return false;
  }
  const std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  lock.unlock();
  task();
  unfinished_.fetch_sub(1, std::memory_order_relaxed);
  lock.lock();
  return true;
}

std::string MainThread::run(const std::function<bool()>& all_asleep) {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ended_ || all_asleep_ || !failure_.empty() || !tasks_.empty(); });
    if (!failure_.empty()) {
      return failure_;
    }
    if (run_task(lock)) {
      all_asleep_ = all_asleep_ || all_sleep();  // the task may have changed what all_asleep() finds
      continue;
    }
    if (ended_) {
      return {};
    }
    all_asleep_ = false;
    // A worker is counted just before it sleeps: ask again until it does sleep, or until one wakes.
    for (bool done = false; !done && all_sleep() && !ended_ && tasks_.empty();) {
      lock.unlock();
      done = all_asleep();
      lock.lock();
      if (!done) {
        changed_.wait_for(lock, std::chrono::milliseconds(1));
      }
    }
  }
}

}  // namespace sched
}  // namespace weft::runtime

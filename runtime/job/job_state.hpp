// What the workers tell the main thread: who sleeps, who has ended.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>

#include "runtime/job/job.hpp"
#include "runtime/lbstep/balancer.hpp"

namespace weft::runtime {

struct Job::State {
  explicit State(Job& job);

  // Any worker.
  void rank_ended(Job& job);
  void worker_sleeps(Job& job);
  void worker_wakes() { sleepers.fetch_sub(1, std::memory_order_acq_rel); }
  void worker_failed(const std::string& why);
  // Any thread: the main thread does it. For what takes long, such as moving ranks to other processes.
  void post(std::function<void()> task);
  // All ranks of the job have ended.
  void end(Job& job);

  std::atomic<std::uint32_t> sleepers = 0;
  std::atomic<std::uint64_t> sleeps = 0;       // how often any worker has gone to sleep
  std::atomic<std::uint32_t> live_ranks = 0;   // in this process
  std::atomic<std::uint32_t> ended_ranks = 0;  // here, and not yet told to other processes

  std::atomic_flag aborts;  // a thread is termination the process

  std::mutex mutex;  // guards the four below
  std::condition_variable changed;
  bool all_asleep = false;
  bool all_ended = false;
  std::string failure;
  std::deque<std::function<void()>> tasks;

  Balancer balancer;
};

}  // namespace weft::runtime

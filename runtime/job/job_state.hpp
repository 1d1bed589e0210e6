// What the workers tell the main thread: who sleeps, who has ended.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>

#include "lb/strategy.hpp"
#include "runtime/job/job.hpp"
#include "runtime/team/team.hpp"

namespace weft::runtime {

struct Job::State {
  State(Job& job, std::uint32_t ranks);

  // Any worker.
  void rank_ended(Job& job);
  void worker_sleeps(Job& job);
  void worker_wakes() { sleepers.fetch_sub(1, std::memory_order_acq_rel); }
  void worker_failed(const std::string& why);

  std::atomic<std::uint32_t> sleepers = 0;
  std::atomic<std::uint64_t> sleeps = 0;  // how often any worker has gone to sleep
  std::atomic<std::uint32_t> live_ranks;

  std::atomic_flag aborts;  // a thread is ending the process

  std::mutex mutex;  // guards the three below
  std::condition_variable changed;
  bool all_asleep = false;
  bool all_ended = false;
  std::string failure;

  Team everyone;  // all ranks, for balancing steps
  std::unique_ptr<lb::Strategy> strategy;
  std::vector<Worker*> planned;  // by rank, decided in the balancing step
};

}  // namespace weft::runtime

// Implements --timeout and MPIEXEC_TIMEOUT: ends jobs that run too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

// The limit for the job's start, in which the processes wait for each other. `seconds` after its construction this
// process and the job end with a line that says so, unless a TimeLimit has taken over. 0: no limit. Uses an alarm: a
// thread's stack would move the libraries that are still to be loaded, and with them the addresses that a restart
// expects.
class StartLimit {
 public:
  // `bootstrap` outlives it; null: the job is this process alone.
  StartLimit(std::uint32_t seconds, bootstrap::Bootstrap* bootstrap);
  ~StartLimit();
  StartLimit(const StartLimit&) = delete;
  StartLimit& operator=(const StartLimit&) = delete;

  std::uint32_t seconds() const { return seconds_; }
  std::chrono::steady_clock::time_point end() const { return end_; }

 private:
  const std::uint32_t seconds_;
  const std::chrono::steady_clock::time_point end_;
};

// While it lives, the limit is that of the running job: when it is reached, the job ends with a line that says so.
class TimeLimit {
 public:
  TimeLimit(runtime::Job& job, const StartLimit& start);

 private:
  std::jthread thread_;
};

}  // namespace weft::launch

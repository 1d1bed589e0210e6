// What MPIEXEC_TIMEOUT asks of a launcher: an end for jobs that run too long.
#pragma once

#include <chrono>
#include <cstdint>
#include <thread>

#include "runtime/bootstrap/bootstrap.hpp"
#include "runtime/job/job.hpp"

namespace weft::launch {

// The job's start, in which the processes wait for each other, counts too. `seconds` from here on this process ends
// with a line that says so, and so does the job, unless a TimeLimit goes on. 0: it may take as long as it likes. By an
// alarm: a thread's stack would move the libraries that are still to be loaded, and with them the addresses that a
// restart expects.
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

// As long as this lives the limit is the running job's, which then ends with a line that says so.
class TimeLimit {
 public:
  TimeLimit(runtime::Job& job, const StartLimit& start);

 private:
  std::jthread thread_;
};

}  // namespace weft::launch

// Preempts ranks that compute for long without a call, so that the other ranks of their worker can run.
#pragma once

#include <cstdint>
#include <thread>

#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// While it lives: a rank that has run for `seconds` without letting others run, while others live on its worker, is
// suspended where that is safe (docs/decisions/034-preemption.md). From then on it is suspended every tenth of a second
// until it makes a call. 0 seconds: no rank is preempted. One at a time in a process.
class Preemption {
 public:
  Preemption(const runtime::Job& job, const ImageProgram& program, std::uint32_t seconds);
  ~Preemption();
  Preemption(const Preemption&) = delete;
  Preemption& operator=(const Preemption&) = delete;

 private:
  std::jthread watcher_;
};

}  // namespace weft::launch

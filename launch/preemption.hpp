// Ranks that compute for long without a call give way to the others of their worker.
#pragma once

#include <cstdint>
#include <thread>

#include "runtime/job/job.hpp"

namespace weft::launch {

class ImageProgram;

// As long as this lives: a rank that has run for so many seconds without letting others run, while others live on its
// worker, is suspended where that is safe (docs/decisions/034-preemption.md), and from then on every tenth of a second
// until it calls. 0: never. One at a time in a process.
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

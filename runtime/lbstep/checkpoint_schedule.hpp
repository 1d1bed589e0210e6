// When a checkpoint is written and to which folder, and what all processes have written of it. On process 0.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/folder_lock.hpp"
#include "runtime/lbstep/step_messages.hpp"

namespace weft::runtime {
inline namespace lbstep {

class CheckpointSchedule {
 public:
  explicit CheckpointSchedule(const JobContext& job);
  ~CheckpointSchedule();
  CheckpointSchedule(const CheckpointSchedule&) = delete;
  CheckpointSchedule& operator=(const CheckpointSchedule&) = delete;

  // The next step writes one to JobConfig::checkpoint. Any thread; signal-safe.
  void request() { requested_.store(true, std::memory_order_relaxed); }
  // Where this step writes one; empty: it writes none. `wanted`: a folder that ranks ask for, or empty; `pinned`: a
  // rank that cannot be packed, and why.
  std::string begin_step(std::uint64_t step, const std::string& wanted, const std::string& pinned);
  // What a process has written of it.
  void add(const CheckpointPart& part);
  // All have. On the main thread.
  void publish();

 private:
  // Takes the folder's lock, for the rest of the job; where another job has it `why` says so.
  bool lock(const std::string& folder, std::string& why);

  const JobContext& job_;
  std::atomic<bool> requested_ = false;
  std::uint64_t step_ = 0;
  std::string folder_;                              // of the checkpoint that is being written
  CheckpointIndex index_;                           // of the same
  std::string failure_;                             // why that cannot be
  std::string published_;                           // where the last one is
  std::vector<std::shared_ptr<FolderLock>> locks_;  // of the folders that have been written to
};

}  // namespace lbstep
}  // namespace weft::runtime

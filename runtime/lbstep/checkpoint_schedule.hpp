// When a checkpoint is written and to which folder, and what all processes have written of it. On process 0.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/folder_lock.hpp"
#include "runtime/control/job_context.hpp"
#include "runtime/lbstep/checkpoint.hpp"
#include "runtime/lbstep/step_messages.hpp"
#include "runtime/lbstep/survival_images.hpp"

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
  // Where this step writes one, a folder or memory files; empty: it writes none.
  std::string begin_step(const StepFacts& facts);
  // Which of the memory files that are.
  std::uint32_t image() const { return images_ ? images_->index() : 0; }
  // The call of migrate() at which an image for --survive may be written, after a step at this call.
  std::uint64_t next_image(std::uint64_t call) { return images_ ? images_->next_call(call) : 0; }
  // What a process has written of it.
  void add(const CheckpointPart& part);
  // All have. On the main thread.
  void publish();

 private:
  // Whether a period is over; and another one begins.
  void note_period(const StepFacts& facts);
  void begin_period(const StepFacts& facts);
  // Where an image for --survive goes to; empty: none is due. One that is whole goes to a disk where a checkpoint is
  // due.
  std::string begin_image(const StepFacts& facts);
  // The folder that a checkpoint goes to; empty: none can be written.
  std::string begin_checkpoint(const StepFacts& facts);
  // Why none can be written; empty: one can.
  std::string why_not(const StepFacts& facts) const;
  // Says why none is written, once. `answers`: a signal that has asked for one is done with by that.
  void refuse(const std::string& why, bool answers);
  // Takes the folder's lock, for the rest of the job; where another job has it `why` says so.
  bool lock(const std::string& folder, std::string& why);

  using Clock = std::chrono::steady_clock;

  const JobContext& job_;
  const std::string disk_;  // JobConfig::checkpoint, whatever folder this process is in
  std::atomic<bool> requested_ = false;
  bool is_asked_for_ = false;                    // a checkpoint, by request()
  bool is_due_ = false;                          // the same, by its period
  std::optional<std::uint64_t> since_call_;      // of migrate(): where the period began
  Clock::time_point since_time_ = Clock::now();  // the same
  std::uint64_t step_ = 0;
  std::optional<SurvivalImages> images_;
  std::string folder_;                                         // of the checkpoint that is being written
  bool is_image_ = false;                                      // it is one for --survive
  bool goes_to_disk_ = false;                                  // to JobConfig::checkpoint, an image when it is whole
  CheckpointIndex index_;                                      // of the same
  std::string failure_;                                        // why that cannot be
  std::string last_refusal_;                                   // since one was written
  std::string published_;                                      // where the last one is
  std::vector<std::shared_ptr<bootstrap::FolderLock>> locks_;  // of the folders that have been written to
};

}  // namespace lbstep
}  // namespace weft::runtime

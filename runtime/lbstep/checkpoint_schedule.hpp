// Decides when a checkpoint is written and to which folder, and collects what all processes have written of it. On
// process 0.
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

// Guarded by the step's lock, except request(). publish() runs without it, while the step waits for that.
class CheckpointSchedule {
 public:
  explicit CheckpointSchedule(const JobContext& job);
  ~CheckpointSchedule();
  CheckpointSchedule(const CheckpointSchedule&) = delete;
  CheckpointSchedule& operator=(const CheckpointSchedule&) = delete;

  // The next step writes a checkpoint to JobConfig::checkpoint. Any thread; signal-safe.
  void request() { requested_.store(true, std::memory_order_relaxed); }
  // Where this step writes a checkpoint or image: a folder or memory files. Empty: it writes none.
  std::string begin_step(const StepFacts& facts);
  // Which of the two sets of memory files is used.
  std::uint32_t image() const { return images_ ? images_->index() : 0; }
  // The call of migrate() at which an image for --survive may be written, after a step at this call.
  std::uint64_t next_image(std::uint64_t call) { return images_ ? images_->next_call(call) : 0; }
  // Adds what a process has written.
  void add(const CheckpointPart& part);
  // Publishes the checkpoint once all processes have written. On the main thread.
  void publish();
  // At the job's end: says so where checkpoints were due or asked for and the ranks came to no step at all.
  void report_no_step() const;

 private:
  // Removes the last folder's spare: a checkpoint that was kept to be written over.
  void remove_spare() const;
  // Checks whether a period is over.
  void note_period(const StepFacts& facts);
  void begin_period(const StepFacts& facts);
  // Where an image for --survive goes; empty: none is due. When a checkpoint is due, a complete image is also copied to
  // a disk.
  std::string begin_image(const StepFacts& facts);
  // The folder for a checkpoint; empty: none can be written.
  std::string begin_checkpoint(const StepFacts& facts);
  // Why no checkpoint can be written; empty: one can.
  std::string why_not(const StepFacts& facts) const;
  // Reports once why no checkpoint is written. `answers`: this also settles a request by a signal.
  void refuse(const std::string& why, bool answers);
  // Locks the folder for the rest of the job. If another job has locked it, returns false and sets `why`.
  bool lock(const std::string& folder, std::string& why);

  using Clock = std::chrono::steady_clock;

  const JobContext& job_;
  const std::string disk_;  // JobConfig::checkpoint as an absolute path
  std::atomic<bool> requested_ = false;
  bool is_asked_for_ = false;                    // request() has asked for a checkpoint
  bool is_due_ = false;                          // a checkpoint is due by its period
  std::optional<std::uint64_t> since_call_;      // the call of migrate() at which the period began
  Clock::time_point since_time_ = Clock::now();  // when the period began
  std::uint64_t step_ = 0;
  std::optional<SurvivalImages> images_;
  std::string folder_;         // of the checkpoint that is being written
  bool is_image_ = false;      // what is being written is an image for --survive
  bool goes_to_disk_ = false;  // it goes to JobConfig::checkpoint; an image is copied there once it is complete
  CheckpointIndex index_;      // of what is being written
  std::string failure_;        // why it cannot be published
  std::string last_refusal_;   // since the last checkpoint was written
  std::string published_;      // where the last checkpoint is
  std::vector<std::shared_ptr<bootstrap::FolderLock>> locks_;  // of the folders that have been written to
};

}  // namespace lbstep
}  // namespace weft::runtime

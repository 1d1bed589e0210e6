// Decides whether a step of a job with --survive writes an image of the ranks, and where. On process 0.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>

#include "runtime/lbstep/checkpoint_files.hpp"
#include "runtime/lbstep/image_schedule.hpp"
#include "runtime/lbstep/step_facts.hpp"
#include "runtime/placement/process_changes.hpp"
#include "runtime/setup/config.hpp"

namespace weft::runtime {
inline namespace lbstep {

// In bytes.
struct ImageRoom {
  std::uint64_t image = 0;    // of one image, at most
  std::uint64_t held = 0;     // that both images use already
  std::uint64_t left = 0;     // free memory besides
  std::uint64_t longest = 0;  // that a file may have
};
// Why there is no room for two images; empty: there is.
std::string why_no_room(const ImageRoom& room);

// Belongs to CheckpointSchedule, and is guarded as that is.
class SurvivalImages {
 public:
  explicit SurvivalImages(const JobConfig& config);

  // Where this step writes an image; empty: it writes none. `wanted`: now if possible, whatever the interval. Reports
  // once why none can be written.
  std::string begin_step(const StepFacts& facts, bool wanted);
  // Why this step has not written an image that was due; empty: it has, or will.
  const std::string& failure() const { return failure_; }
  // Which of SurvivalConfig::image_files the next image goes to.
  std::uint32_t index() const { return schedule_.index(); }
  // The call of migrate() at which an image may be written again.
  std::uint64_t next_call(std::uint64_t call);
  // The image is complete, and the ranks still stand still. It is copied to this folder of checkpoints while they go
  // on, if the folder is not empty. On the main thread. Does not return if the job continues with another number of
  // processes.
  void published(std::uint64_t step, const std::string& folder);
  void failed(const std::string& why);

 private:
  // Reports why no image is written, also to a caller that waits for one.
  void refuse(const std::string& why);
  void say_once(const std::string& why);
  std::string why_not(const StepFacts& facts) const;
  std::uint64_t bytes_here(std::uint64_t bytes) const;
  bool may_write(bool waits) const;
  std::uint64_t held_bytes() const;
  void request_evacuations();
  bool is_change_wanted() const;
  placement::NextProcesses ready_change();

  const JobConfig& config_;
  ImageSchedule schedule_;
  double ask_at_ = 0;                        // seconds: do not ask for hosts to evacuate before this time
  std::set<std::string> kept_hosts_;         // hosts that cannot be evacuated; reported once
  placement::NextProcesses considered_;      // the request that was pending when the step began
  placement::NextProcesses next_processes_;  // from the image on that is being written; empty: no change
  placement::NextProcesses kept_waiting_;    // what was requested while spawned ranks live
  // seconds: since when an image is due, but must not yet overwrite the previous one
  std::optional<double> held_since_;
  std::string failure_;
  std::string said_;  // the last reported reason, without numbers
};

}  // namespace lbstep
}  // namespace weft::runtime

// Whether a step of a job that survives the death of a process (--survive) writes an image of the ranks, and where. On
// process 0.
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

// Why two images of so many bytes do not fit into what is left of memory, where `held` bytes are theirs already, and a
// file may be as long as `longest`; empty: they do.
struct ImageRoom {
  std::uint64_t image = 0;
  std::uint64_t held = 0;
  std::uint64_t left = 0;
  std::uint64_t longest = 0;
};
std::string why_no_room(const ImageRoom& room);

class SurvivalImages {
 public:
  explicit SurvivalImages(const JobConfig& config);

  // Where this step writes an image to; empty: it writes none. `wanted`: now if it can, whatever the interval. Says
  // once why none can be written.
  std::string begin_step(const StepFacts& facts, bool wanted);
  // Why this step has not written one that was due; empty: it has, or will.
  const std::string& failure() const { return failure_; }
  // Which of SurvivalConfig::image_files the next image goes to.
  std::uint32_t index() const { return schedule_.index(); }
  // The call of migrate() at which an image may be written again.
  std::uint64_t next_call(std::uint64_t call);
  // The image is whole, and the ranks still stand; it goes to this folder of checkpoints while they go on, if there is
  // one. On the main thread. Does not return where the job goes on with another number of processes.
  void published(std::uint64_t step, const std::string& folder);
  void failed(const std::string& why);

 private:
  // Says why none is written, also to who waits for it.
  void refuse(const std::string& why);
  void say_once(const std::string& why);
  std::string why_not(const StepFacts& facts) const;
  std::uint64_t bytes_here(std::uint64_t bytes) const;
  bool may_write(bool waits) const;
  std::uint64_t held_bytes() const;
  void ask_for_leaving_hosts();
  bool is_change_wanted() const;
  placement::NextProcesses ready_change() const;

  const JobConfig& config_;
  ImageSchedule schedule_;
  double ask_at_ = 0;                        // seconds: for hosts that want to be left, not before
  std::set<std::string> kept_hosts_;         // of these, that cannot be left: a line has said so
  placement::NextProcesses next_processes_;  // from the image on that is being written; empty: the same
  placement::NextProcesses kept_waiting_;    // what is asked for while spawned ranks live
  std::optional<double> held_since_;         // seconds: one is due, and cannot be written over the one before yet
  std::string failure_;
  std::string said_;  // why the last image could not be written, without numbers
};

}  // namespace lbstep
}  // namespace weft::runtime

#include "runtime/lbstep/checkpoint_schedule.hpp"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/say.hpp"
#include "runtime/bootstrap/checkpoint_folder.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"

namespace weft::runtime {
inline namespace lbstep {

CheckpointSchedule::CheckpointSchedule(const JobContext& job)
    : job_(job), disk_(job.config.checkpoint.empty() ? "" : std::filesystem::absolute(job.config.checkpoint).string()) {
  if (job.config.checkpoint_lock) {
    locks_.push_back(job.config.checkpoint_lock);
  }
  // In a job that has been restarted the period goes on from the last checkpoint of the processes before.
  since_time_ -= std::chrono::seconds(job.config.unsaved_seconds);
  if (job.config.survive) {
    images_.emplace(job.config);
  }
}

CheckpointSchedule::~CheckpointSchedule() { remove_spare(); }

void CheckpointSchedule::remove_spare() const {
  if (!published_.empty()) {
    bootstrap::CheckpointFolder(published_).remove_spare();
  }
}

std::string CheckpointSchedule::begin_step(const StepFacts& facts) {
  step_ = facts.step;
  index_ = {};
  failure_.clear();
  note_period(facts);
  if (requested_.exchange(false)) {
    is_asked_for_ = true;
    last_refusal_.clear();  // the request is answered, even with the same reason
  }
  folder_.clear();
  is_image_ = images_ && facts.checkpoint.empty();
  if (is_image_) {
    folder_ = begin_image(facts);
  } else if (!facts.checkpoint.empty() || is_due_ || is_asked_for_) {
    folder_ = begin_checkpoint(facts);
  }
  return folder_;
}

void CheckpointSchedule::note_period(const StepFacts& facts) {
  const JobConfig& config = job_.config;
  if (!since_call_) {
    since_call_ = facts.call - 1;
  }
  if (const std::uint64_t every = config.checkpoint_every; every != 0) {
    is_due_ = is_due_ || (images_ ? facts.call / every > *since_call_ / every : facts.step % every == 0);
  }
  if (const double seconds = config.checkpoint_seconds; seconds != 0) {
    is_due_ = is_due_ || Clock::now() - since_time_ >= std::chrono::duration<double>(seconds);
  }
}

std::string CheckpointSchedule::begin_image(const StepFacts& facts) {
  std::string image = images_->begin_step(facts, is_asked_for_);
  goes_to_disk_ = !image.empty() && (is_asked_for_ || is_due_);
  if (goes_to_disk_) {
    begin_period(facts);
  } else if (is_asked_for_ && !images_->failure().empty()) {
    refuse(images_->failure(), !facts.spawned);
  }
  return image;
}

std::string CheckpointSchedule::begin_checkpoint(const StepFacts& facts) {
  const bool is_programs = !facts.checkpoint.empty();
  const std::string& folder = is_programs ? facts.checkpoint : disk_;
  std::error_code error;
  goes_to_disk_ = !is_programs || std::filesystem::equivalent(folder, disk_, error);
  std::string why = why_not(facts);
  if (!why.empty() || !lock(folder, why)) {
    refuse(why, !is_programs && !facts.spawned);
    return {};
  }
  if (goes_to_disk_) {
    begin_period(facts);
  }
  return folder;
}

std::string CheckpointSchedule::why_not(const StepFacts& facts) const {
  if (!job_.config.addresses_are_fixed) {
    return "addresses change from run to run; start with --checkpoint";
  }
  if (facts.spawned) {
    return kSpawnedRun;
  }
  if (facts.pinned.empty() && images_ && goes_to_disk_) {
    return "with --survive images go to the folder of --checkpoint: name another one";
  }
  return facts.pinned;
}

void CheckpointSchedule::begin_period(const StepFacts& facts) {
  is_due_ = false;
  since_call_ = facts.call;
  since_time_ = Clock::now();
}

void CheckpointSchedule::refuse(const std::string& why, bool answers) {
  is_asked_for_ = is_asked_for_ && !answers;
  if (why != last_refusal_) {
    base::say("weft: no checkpoint is written: " + why + "\n");
  }
  last_refusal_ = why;
}

bool CheckpointSchedule::lock(const std::string& folder, std::string& why) {
  const auto is_it = [&](const std::shared_ptr<bootstrap::FolderLock>& lock) { return lock->is_of(folder); };
  if (std::any_of(locks_.begin(), locks_.end(), is_it)) {
    return true;
  }
  try {
    locks_.push_back(std::make_shared<bootstrap::FolderLock>(folder, bootstrap::FolderLock::For::kWriting));
  } catch (const std::exception& error) {
    why = error.what();
    return false;
  }
  return true;
}

void CheckpointSchedule::add(const CheckpointPart& part) {
  index_.entries.insert(index_.entries.end(), part.entries.begin(), part.entries.end());
  index_.first_context = std::max(index_.first_context, part.first_context);
  failure_ = part.failure.empty() ? failure_ : part.failure;
}

void CheckpointSchedule::publish() {
  try {
    if (!failure_.empty()) {
      throw std::runtime_error(failure_);
    }
    index_.program = job_.program.fingerprint();
    index_.command = job_.config.command;
    index_.ranks = job_.ranks.at_start();
    index_.processes = job_.cluster.process_count();
    index_.steps = step_;
    index_.stack_guard = job_.config.stack_guard;
    index_.spawned_exit_code = job_.ranks.spawned_exit_code;
    CheckpointWriter::publish(folder_, index_);
    if (is_image_) {
      images_->published(step_, goes_to_disk_ ? disk_ : std::string());
    } else if (published_ != folder_) {
      remove_spare();
      published_ = folder_;
    }
    if (goes_to_disk_) {
      is_asked_for_ = false;
      last_refusal_.clear();
    }
  } catch (const std::exception& error) {
    CheckpointWriter::discard(folder_, step_);
    if (is_image_) {
      images_->failed(error.what());
    }
    if (!is_image_ || goes_to_disk_) {
      refuse(error.what(), goes_to_disk_);
    }
  }
}

void CheckpointSchedule::report_no_step() const {
  const JobConfig& config = job_.config;
  const bool wanted =
      config.checkpoint_every != 0 || config.checkpoint_seconds != 0 || requested_.load(std::memory_order_relaxed);
  if (wanted && !disk_.empty() && !images_ && !since_call_) {
    base::say("weft: no checkpoint was written: the ranks came to no " + config.lb_calls +
              "; --migrate-at names the collective calls at which one may be written\n");
  }
}

}  // namespace lbstep
}  // namespace weft::runtime

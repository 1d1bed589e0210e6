#include "runtime/lbstep/checkpoint_schedule.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "base/say.hpp"
#include "runtime/control/cluster.hpp"
#include "runtime/control/rank_table.hpp"
#include "runtime/setup/config.hpp"
#include "runtime/setup/program.hpp"

namespace weft::runtime {
inline namespace lbstep {

CheckpointSchedule::CheckpointSchedule(const JobContext& job) : job_(job) {
  if (job.config.checkpoint_lock) {
    locks_.push_back(job.config.checkpoint_lock);
  }
  if (job.config.survive) {
    images_.emplace(job.config);
  }
}

CheckpointSchedule::~CheckpointSchedule() {
  if (!published_.empty()) {
    CheckpointWriter::remove_spare(published_);
  }
}

std::string CheckpointSchedule::begin_step(const StepFacts& facts) {
  step_ = facts.step;
  index_ = {};
  failure_.clear();
  const std::uint64_t every = job_.config.checkpoint_every;
  is_due_ = is_due_ || (every != 0 && facts.step % every == 0);
  folder_ = begin_image(facts);
  is_image_ = !folder_.empty();
  if (!is_image_) {
    folder_ = begin_checkpoint(facts);
  }
  return folder_;
}

// An image that is due goes before a checkpoint, which then waits for the next step. Neither is ever kept waiting by
// the other for longer.
std::string CheckpointSchedule::begin_image(const StepFacts& facts) {
  const bool checkpoint_waits = is_due_ || requested_.load(std::memory_order_relaxed);
  const bool gives_way = !facts.checkpoint.empty() || (checkpoint_waits && is_image_ && !facts.image);
  return images_ && !gives_way ? images_->begin_step(facts) : std::string();
}

std::string CheckpointSchedule::begin_checkpoint(const StepFacts& facts) {
  const JobConfig& config = job_.config;
  const bool due = std::exchange(is_due_, false);
  const bool asked = requested_.exchange(false);
  std::string folder = facts.checkpoint;
  if (!config.checkpoint.empty() && (asked || due) && folder.empty()) {
    folder = config.checkpoint;
  }
  if (asked) {
    last_refusal_.clear();  // who asks gets an answer
  }
  std::string why =
      !config.addresses_are_fixed ? "addresses change from run to run; start with --checkpoint" : facts.pinned;
  if (!folder.empty() && (!why.empty() || !lock(folder, why))) {
    refuse(why);
    folder.clear();
  }
  return folder;
}

void CheckpointSchedule::refuse(const std::string& why) {
  if (why != last_refusal_) {
    base::say("weft: no checkpoint is written: " + why + "\n");
  }
  last_refusal_ = why;
}

bool CheckpointSchedule::lock(const std::string& folder, std::string& why) {
  const auto is_it = [&](const std::shared_ptr<FolderLock>& lock) { return lock->is_of(folder); };
  if (std::any_of(locks_.begin(), locks_.end(), is_it)) {
    return true;
  }
  try {
    locks_.push_back(std::make_shared<FolderLock>(folder, FolderLock::For::kWriting));
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
    index_.processes = job_.cluster.count();
    index_.steps = step_;
    index_.stack_guard = job_.config.stack_guard;
    CheckpointWriter::publish(folder_, index_);
    if (is_image_) {
      images_->published(step_);
    } else {
      published_ = folder_;
      last_refusal_.clear();
    }
  } catch (const std::exception& error) {
    CheckpointWriter::discard(folder_, step_);
    if (is_image_) {
      images_->failed(error.what());
      return;
    }
    refuse(error.what());
  }
}

}  // namespace lbstep
}  // namespace weft::runtime

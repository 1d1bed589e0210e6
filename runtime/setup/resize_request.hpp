// That a running job is to have other processes (weft resize, weft evacuate, AMPI_Evacuate): from who asks to the step
// that does it.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/placement/process_changes.hpp"

namespace weft::runtime {
inline namespace setup {

// Any thread.
class ResizeRequest {
 public:
  // In place of one that waits; none withdraws that. Nothing changes any more once a request has been taken or refused
  // for good.
  void ask(placement::NextProcesses processes) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      wanted_ = std::move(processes);
      refusal_.clear();
    }
  }
  // A rank of this process asks that the process goes: the next step asks for that, if it can be done.
  void leave() { leaves_.store(true, std::memory_order_relaxed); }
  bool take_leave() { return leaves_.exchange(false, std::memory_order_relaxed); }
  // What waits cannot be done now, and is done with.
  void refuse(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      wanted_.clear();
      refusal_ = std::move(why);
    }
  }
  // Nor can any later one.
  void refuse_for_good(std::string why) {
    refuse(std::move(why));
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  // These are what waits, and it is being done. False: something else is wanted since, or nothing.
  bool take(const placement::NextProcesses& processes) {
    const std::scoped_lock lock(mutex_);
    if (is_over_ || wanted_ != processes) {
      return false;
    }
    is_over_ = true;
    return true;
  }

  // Empty: nothing is asked for.
  placement::NextProcesses wanted() const {
    const std::scoped_lock lock(mutex_);
    return wanted_;
  }
  // Why the last one was not done; empty if none was refused.
  std::string refusal() const {
    const std::scoped_lock lock(mutex_);
    return refusal_;
  }

 private:
  mutable std::mutex mutex_;
  placement::NextProcesses wanted_;
  std::string refusal_;
  bool is_over_ = false;
  std::atomic<bool> leaves_ = false;  // relaxed: taken when all ranks are in a step, which orders it
};

}  // namespace setup
}  // namespace weft::runtime

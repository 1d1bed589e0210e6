// A request that a running job use other processes (weft resize, weft evacuate, AMPI_Evacuate): from the caller that
// makes it to the step that carries it out.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "runtime/placement/process_changes.hpp"

namespace weft::runtime {
inline namespace setup {

// Thread-safe.
class ResizeRequest {
 public:
  // Replaces a pending request; an empty `processes` withdraws it. Has no effect once a request has been taken or
  // refused for good.
  void ask(placement::NextProcesses processes) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      wanted_ = std::move(processes);
      refusal_.clear();
    }
  }
  // A rank of this process asks to evacuate the process. The next step requests that, if it can be done.
  void request_evacuation() { evacuation_requested_.store(true, std::memory_order_relaxed); }
  bool take_evacuation_request() { return evacuation_requested_.exchange(false, std::memory_order_relaxed); }
  // This request cannot be carried out now, and is dropped. Has no effect if something else is wanted by now. With an
  // empty request: the reason of an earlier refusal.
  void refuse(const placement::NextProcesses& processes, std::string why) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_ && wanted_ == processes) {
      drop(std::move(why));
    }
  }
  // Drops whatever is requested, and all later requests too.
  void refuse_for_good(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      drop(std::move(why));
      is_over_ = true;
    }
  }
  // Marks the pending request as being carried out. Returns false if something else is wanted by now, or nothing.
  bool take(const placement::NextProcesses& processes) {
    const std::scoped_lock lock(mutex_);
    if (is_over_ || wanted_ != processes) {
      return false;
    }
    is_over_ = true;
    return true;
  }

  // Empty: nothing is requested.
  placement::NextProcesses wanted() const {
    const std::scoped_lock lock(mutex_);
    return wanted_;
  }
  // Why the last request was refused; empty if none was.
  std::string refusal() const {
    const std::scoped_lock lock(mutex_);
    return refusal_;
  }

 private:
  void drop(std::string why) {
    wanted_.clear();
    refusal_ = std::move(why);
  }

  mutable std::mutex mutex_;
  placement::NextProcesses wanted_;
  std::string refusal_;
  bool is_over_ = false;
  std::atomic<bool> evacuation_requested_ = false;  // relaxed: taken when all ranks are in a step, which orders it
};

}  // namespace setup
}  // namespace weft::runtime

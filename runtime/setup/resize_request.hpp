// That a running job is to have another number of processes (weft resize, AMPI_Evacuate): from who asks to the step
// that does it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace weft::runtime {
inline namespace setup {

// Any thread.
class ResizeRequest {
 public:
  // In place of one that waits; 0 withdraws that. Nothing changes any more once a request has been taken or refused for
  // good.
  void ask(std::uint32_t processes) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      wanted_ = processes;
      refusal_.clear();
    }
  }
  // A rank of this process asks that the process goes: the next step asks for one fewer, if it can be done.
  void leave() { leaves_.store(true, std::memory_order_relaxed); }
  bool take_leave() { return leaves_.exchange(false, std::memory_order_relaxed); }
  // What waits cannot be done now, and is done with.
  void refuse(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (!is_over_) {
      wanted_ = 0;
      refusal_ = std::move(why);
    }
  }
  // Nor can any later one.
  void refuse_for_good(std::string why) {
    refuse(std::move(why));
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  // What waits is being done; 0: nothing waits.
  std::uint32_t take() {
    const std::scoped_lock lock(mutex_);
    is_over_ = is_over_ || wanted_ != 0;
    return wanted_;
  }

  // 0: nothing is asked for.
  std::uint32_t wanted() const {
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
  std::uint32_t wanted_ = 0;
  std::string refusal_;
  bool is_over_ = false;
  std::atomic<bool> leaves_ = false;  // relaxed: taken when all ranks are in a step, which orders it
};

}  // namespace setup
}  // namespace weft::runtime

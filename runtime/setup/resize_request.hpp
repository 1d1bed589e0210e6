// That a running job is to have another number of processes (weft resize): from who asks to the step that does it.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace weft::runtime {
inline namespace setup {

// Any thread.
class ResizeRequest {
 public:
  // In place of one that waits.
  void ask(std::uint32_t processes) {
    const std::scoped_lock lock(mutex_);
    wanted_ = processes;
    refusal_.clear();
  }
  void withdraw() { ask(0); }
  // It cannot be done now, and is done with.
  void refuse(std::string why) {
    const std::scoped_lock lock(mutex_);
    wanted_ = 0;
    refusal_ = std::move(why);
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
};

}  // namespace setup
}  // namespace weft::runtime

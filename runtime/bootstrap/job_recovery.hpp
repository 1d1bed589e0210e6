// Starts the processes of a job again after one of them has died, or other processes (weft resize), from the last whole
// image of the ranks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "runtime/bootstrap/image_files.hpp"
#include "runtime/bootstrap/recovery_policy.hpp"

namespace weft::bootstrap {

struct ProcessSet {
  std::uint32_t count = 0;
  std::uint32_t workers_each = 0;  // 0: as the job was started
};

// How a job's processes have ended, all of them.
struct RunEnd {
  int code = 0;                       // the job's, if it ends with this
  std::optional<ProcessDeath> death;  // of the first that a signal killed; nothing where the job ends in any case
  std::string what;                   // the same for the user: "process 1 on host a was killed by signal 9 (Killed)"
  std::optional<ProcessSet> next;     // they were ended, and the job goes on with these
  bool resumed = false;               // the ranks had gone on from the image that there was
  bool stopped = false;               // by a signal to weftrun
};

class JobRecovery {
 public:
  JobRecovery(std::uint32_t processes, std::uint32_t limit);

  // Runs the job to its end; the exit code. `run_processes` runs so many processes once, and calls on_image();
  // `before_change` is told before there are others.
  int run(const std::function<RunEnd(std::uint32_t count)>& run_processes,
          const std::function<void(const ProcessSet&)>& before_change);
  // Image 0 or 1 is whole; the ranks have read standard input up to `input` (-1: no such thing).
  void on_image(std::uint32_t image, std::uint64_t step, off_t input);

 private:
  using Clock = std::chrono::steady_clock;

  void announce();
  RunEnd run_once(const std::function<RunEnd(std::uint32_t count)>& run_processes) const;
  void change_to(const ProcessSet& next);
  void change_back();
  bool goes_on(const RunEnd& end);
  void say_recovery(const RunEnd& end) const;
  void rewind_input() const;

  ImageFiles files_;
  ProcessSet now_;
  std::optional<ProcessSet> before_;  // those that there were before, until ranks go on in those of now
  std::string refusal_;               // why there are no others, for the processes that are started next
  RecoveryPolicy policy_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point since_ = begin_;    // the work from here on is lost if a process dies now
  std::optional<std::uint32_t> whole_;  // the last image: 0 or 1
  std::uint64_t step_ = 0;              // that it was written in
  off_t input_;
};

}  // namespace weft::bootstrap

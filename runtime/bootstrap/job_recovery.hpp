// Starts the processes of a job again after one of them has died, or other processes (weft resize), from the last whole
// image of the ranks.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/bootstrap/job_images.hpp"
#include "runtime/bootstrap/recovery_policy.hpp"

namespace weft::bootstrap {

// By process.
struct ProcessSet {
  std::vector<std::uint32_t> hosts;                  // 0: the launcher's
  std::vector<std::uint32_t> workers;                // empty: as the job was started
  std::vector<std::optional<std::uint32_t>> before;  // which one each was before the last change; empty: there was none
  std::string refusal = {};  // not empty: why there are none of these, and the job goes on as it was
  std::uint32_t count() const { return static_cast<std::uint32_t>(hosts.size()); }
};

// How a job's processes have ended, all of them.
struct RunEnd {
  int code = 0;                       // the job's, if it ends with this
  std::optional<ProcessDeath> death;  // of the first that a signal killed; nothing where the job ends in any case
  std::string what;                   // the same for the user: "process 1 on host a was killed by signal 9 (Killed)"
  std::optional<ProcessSet> next;     // they were ended, and the job goes on with these
  bool stopped = false;               // by a signal to weftrun
  std::vector<std::uint32_t> lost_hosts;
};

class JobRecovery {
 public:
  // With these processes at first.
  JobRecovery(ProcessSet processes, std::uint32_t limit, JobImages& images);

  // Runs the job to its end; the exit code. `run_processes` runs these processes once, and calls the functions below;
  // `before_change` is told before there are others, or elsewhere; `finish_saves` waits for images that are on their
  // way to a disk (empty: none ever is), or returns false: the job is to end.
  int run(const std::function<RunEnd(const ProcessSet&)>& run_processes,
          const std::function<void(const ProcessSet&)>& before_change, std::function<bool()> finish_saves = {});
  // Whether image 0 or 1 may be written over now.
  bool may_write(std::uint32_t image);
  // It is whole; the ranks have read standard input up to `input` (-1: no such thing). With a folder it goes to a
  // checkpoint there, too.
  void on_image(std::uint32_t image, std::uint64_t step, off_t input, const std::string& folder);
  // The processes that are about to start have what they need of the image that they go on from, or will never have it.
  // Throws std::runtime_error in that case.
  bool is_ready();
  // They run; and their ranks go on.
  void on_start();
  void on_resumed() { before_.reset(); }
  // There are other processes than before, whose ranks do not go on yet.
  bool is_changing() const { return before_.has_value(); }
  // Another host than theirs is lost, and with it what they need of the image.
  bool lacks_files(std::uint32_t lost) const;
  JobImages& images() { return images_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Image {
    std::uint32_t which = 0;  // 0 or 1
    std::uint64_t step = 0;   // that it was written in
    off_t input = -1;         // where standard input was; -1: no such thing
    Clock::time_point written = {};
    std::vector<std::uint32_t> readers = {};         // as ImageCopies has it
    std::vector<std::uint32_t> readers_before = {};  // the same of JobRecovery::before_
  };

  // One that is saved.
  struct Saved {
    CheckpointTarget target;
    off_t input = -1;
    Clock::time_point written = {};
  };

  void announce();
  RunEnd run_once(const std::function<RunEnd(const ProcessSet&)>& run_processes) const;
  void change_to(const ProcessSet& next);
  void find_readers(Image& image) const;
  bool is_change_in_vain(const RunEnd& end) const;
  bool can_change_back() const;
  void change_back(const RunEnd& end);

  void save(std::uint32_t image, const std::string& folder);
  bool goes_on(RunEnd end);
  bool find_image(RunEnd& end);
  bool wait_for_saves(RunEnd& end);
  bool is_newest(const Saved* saved) const;
  void take_checkpoint();
  bool has_host_left(const RunEnd& end) const;
  void leave_hosts(const RunEnd& end);
  void say_recovery(const RunEnd& end) const;
  const Saved* find_saved(const std::optional<CheckpointTarget>& target) const;
  const Saved* newest_saved() const { return find_saved(images_.last_saved()); }
  const Saved* source_on_disk() const { return on_disk_ ? newest_saved() : nullptr; }
  void rewind_input() const;

  JobImages& images_;
  std::function<bool()> finish_saves_;
  ProcessSet now_;
  std::optional<ProcessSet> before_;  // those that there were before, until ranks go on in those of now
  std::string refusal_;               // why there are no others, for the processes that are started next
  RecoveryPolicy policy_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point since_ = begin_;     // the work from here on is lost if a process dies now
  std::optional<Image> image_;           // that the job goes on from: the last one
  std::optional<Image> image_before_;    // and the one before, while that is whole
  std::vector<Saved> saved_;             // on a disk, or on the way there: from the last one that is whole on
  bool on_disk_ = false;                 // the job goes on from there: image_ is empty
  Clock::time_point saved_at_ = begin_;  // when the last one began to be saved
  int attempts_ = 0;                     // to bring files to where the processes are about to start
  bool has_begun_second_ = false;        // so the first was safe from the loss of a host
  const off_t first_input_;              // where standard input was at the start
};

}  // namespace weft::bootstrap

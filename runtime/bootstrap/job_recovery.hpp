// Starts the processes of a job again from the last complete image of the ranks: after one of them has died, or with
// other processes (weft resize).
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

// One entry for each process.
struct ProcessSet {
  std::vector<std::uint32_t> hosts;                  // 0: the launcher's
  std::vector<std::uint32_t> workers;                // empty: as the job was started
  std::vector<std::optional<std::uint32_t>> before;  // its number before the last change; empty: no change
  std::string refusal = {};  // not empty: why these processes are impossible, and the job continues as before
  std::uint32_t count() const { return static_cast<std::uint32_t>(hosts.size()); }
};

// How all processes of one run have ended.
struct RunEnd {
  int code = 0;                       // the job's exit code, if it ends with this run
  std::optional<ProcessDeath> death;  // the first process that a signal killed; nothing if the job ends in any case
  std::string what;                   // the death for the user: "process 1 on host a was killed by signal 9 (Killed)"
  std::optional<ProcessSet> next;     // if set, the processes were ended so that the job continues with these
  bool stopped = false;               // by a signal to weftrun
  std::vector<std::uint32_t> lost_hosts;
};

class JobRecovery {
 public:
  // `processes`: the first ones. `limit`: how often the job may recover.
  JobRecovery(ProcessSet processes, std::uint32_t limit, JobImages& images);

  // Runs the job to its end and returns the exit code. `run_processes` runs these processes once, and calls the
  // functions below. `before_change` is called before the job continues with other processes or on other hosts.
  // `finish_saves` waits for images that are being copied to a disk (empty: there are never any); it returns false if
  // the job is to end.
  int run(const std::function<RunEnd(const ProcessSet&)>& run_processes,
          const std::function<void(const ProcessSet&)>& before_change, std::function<bool()> finish_saves = {});
  // Whether image 0 or 1 may be overwritten now.
  bool may_write(std::uint32_t image);
  // The image is complete. The ranks have read standard input up to `input` (-1: no position). If `folder` is not empty
  // the image is also copied to a checkpoint there.
  void on_image(std::uint32_t image, std::uint64_t step, off_t input, const std::string& folder);
  // True when the processes that are about to start have the files of the image that they need. Throws
  // std::runtime_error if they can never get them.
  bool is_ready();
  // The processes run; their ranks have gone on.
  void on_start();
  void on_resumed() { before_.reset(); }
  // True after a change of processes until their ranks have gone on.
  bool is_changing() const { return before_.has_value(); }
  // True if the loss of this host, where no process is, has lost files that the processes need.
  bool lacks_files(std::uint32_t lost) const;
  JobImages& images() { return images_; }

 private:
  using Clock = std::chrono::steady_clock;

  struct Image {
    std::uint32_t which = 0;  // 0 or 1
    std::uint64_t step = 0;   // that it was written in
    off_t input = -1;         // position of standard input; -1: none
    Clock::time_point written = {};
    std::vector<std::uint32_t> readers = {};         // as for ImageCopies
    std::vector<std::uint32_t> readers_before = {};  // the same for JobRecovery::before_
  };

  // An image that is or was copied to a disk.
  struct Saved {
    CheckpointTarget target;
    off_t input = -1;
    Clock::time_point written = {};
  };

  void announce();
  RunEnd run_once(const std::function<RunEnd(const ProcessSet&)>& run_processes) const;
  void change_to(const ProcessSet& next);
  void find_readers(Image& image) const;
  bool has_change_failed(const RunEnd& end) const;
  bool can_change_back() const;
  void change_back(const RunEnd& end);

  void save(std::uint32_t image, const std::string& folder);
  bool try_recovery(RunEnd end);
  bool find_image(RunEnd& end);
  bool wait_for_saves(RunEnd& end);
  bool is_newest(const Saved* saved) const;
  void restart_from_checkpoint();
  bool has_host_left(const RunEnd& end) const;
  void move_off_lost_hosts(const RunEnd& end);
  void say_recovery(const RunEnd& end) const;
  const Saved* find_saved(const std::optional<CheckpointTarget>& target) const;
  const Saved* newest_saved() const { return find_saved(images_.last_saved()); }
  const Saved* source_on_disk() const { return on_disk_ ? newest_saved() : nullptr; }
  void rewind_input() const;

  JobImages& images_;
  std::function<bool()> finish_saves_;
  ProcessSet now_;
  std::optional<ProcessSet> before_;  // the processes before a change, until the ranks have gone on in the new ones
  std::string refusal_;               // why a change was refused, for the processes that are started next
  RecoveryPolicy policy_;
  const Clock::time_point begin_ = Clock::now();
  Clock::time_point since_ = begin_;     // the work after this time is lost if a process dies now
  std::optional<Image> image_;           // the last image, from which the job continues
  std::optional<Image> image_before_;    // the one before, while it is complete
  std::vector<Saved> saved_;             // on a disk, or being copied there: from the last complete one on
  bool on_disk_ = false;                 // the job continues from a checkpoint: image_ is empty
  Clock::time_point saved_at_ = begin_;  // when the last copy to a disk began, or else the job
  int attempts_ = 0;                     // to copy files to where the processes are about to start
  bool has_begun_second_ = false;        // a second image was begun, so the first had been replicated
  const off_t first_input_;              // position of standard input at the start
};

}  // namespace weft::bootstrap

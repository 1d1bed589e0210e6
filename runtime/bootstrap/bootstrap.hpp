// How the processes of a job find each other: what a launcher (Weft's own, PMIx, PMI-1) offers each of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "runtime/bootstrap/next_process.hpp"

namespace weft::bootstrap {

class NoticeConnection;

// Used by one thread at a time. Calls throw std::runtime_error, one line for the user, when the launcher is gone.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual ProcessId process() const = 0;
  virtual std::uint32_t processes() const = 0;

  // Publishes a value under a key of this process; any bytes. Other processes see it after the next fence(). Each key
  // is put once.
  virtual void put(std::string_view key, std::string_view value) = 0;
  // Returns once every process has called fence() as often.
  virtual void fence() = 0;
  // What process `of` had put under `key` before the last fence(). Where there is nothing it throws or, if that process
  // has died and the job goes on (--survive api), returns an empty value.
  virtual std::string get(ProcessId of, std::string_view key) = 0;
  // The same for every process, by number; with one request where possible. Calls of get() by all processes for all
  // processes take time that grows with the square of their number.
  virtual std::vector<std::string> get_all(std::string_view key) {
    std::vector<std::string> values;
    for (std::uint32_t p = 0; p < processes(); ++p) {
      values.push_back(get(ProcessId{p}, key));
    }
    return values;
  }

  // The regular end of this process: afterwards its exit does not end the job.
  virtual void finish() = 0;
  // Asks the launcher to end the job's other processes; returns if it cannot. The caller has printed the reason.
  virtual void abort(int code) = 0;
  // The same for a signal handler, which has printed the reason. The job's exit code is `code` even if the launcher
  // would use that of a process that it kills because this one ends. Returns where a handler has no way to tell the
  // launcher. Async-signal-safe.
  virtual void abort_from_handler(int /*code*/) {}

  // Tells the launcher which ranks live in this process, such as "0-3,8", for its message when the process dies.
  virtual void announce_ranks(std::string_view /*ranks*/) {}

  // The next functions are for a launcher that starts a job again (--survive).
  // Image 0 or 1 of all ranks (ImagesAddress::paths), which step `step` has written, is complete; no rank has gone on.
  // If `folder` is not empty the image is also copied to this folder of checkpoints.
  virtual void image_is_whole(std::uint32_t /*image*/, std::uint64_t /*step*/, const std::string& /*folder*/) {}
  // Called before an image is written: whether its files may be overwritten now. They may not while they are still
  // being copied to other hosts or to a disk.
  virtual bool may_write_image(std::uint32_t /*image*/) { return true; }
  // The job is to continue with these processes from a later image on: their hosts are prepared. Any thread.
  virtual void prepare_change(const std::vector<NextProcess>& /*processes*/) {}
  // Empty if the job can continue with these processes now; else kHostsAreNotReady, or why it never can.
  virtual std::string may_change(const std::vector<NextProcess>& /*processes*/) { return {}; }
  // Hosts that are to be evacuated.
  virtual std::vector<std::string> hosts_to_evacuate() { return {}; }
  // Called after image_is_whole(): the job continues from this image with these processes. This process is about to be
  // killed, and the ranks must not go on.
  virtual void change_processes(const std::vector<NextProcess>& /*processes*/) {}
  // All ranks have gone on from the image with which the processes were started.
  virtual void ranks_resumed() {}
  // For a launcher that reports the death of a process to the others (--survive api); null elsewhere.
  virtual NoticeConnection* notices() { return nullptr; }
  // A fatal signal is being handled. `site`: where; `from_outside`: another process has sent it. Any thread;
  // signal-safe.
  virtual void note_crash(std::string_view /*site*/, bool /*from_outside*/) {}
};

// Connects to the launcher that started this process, according to the environment: Weft's own (WEFT_BOOTSTRAP, which
// takes precedence), PMIx (PMIX_RANK), PMI-1 (PMI_FD and PMI_RANK); else returns a job of one process. Removes the
// launcher's variables from the environment, so that the ranks' own programs do not find them. Throws
// std::runtime_error when the launcher cannot be reached.
std::unique_ptr<Bootstrap> connect();

// Whether a launcher has started this process. Changes nothing.
bool is_launched();
// Whether Weft's own launcher has.
bool is_launched_by_weft();
// Removes the variables of launchers from the environment.
void forget_launchers();

}  // namespace weft::bootstrap

// How the processes of a job find each other: what a launcher (Weft's own, PMIx, PMI-1) gives each of them.
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

  // Publishes a value under a key of this process; any bytes. Others see it after the next fence(). A key is put once.
  virtual void put(std::string_view key, std::string_view value) = 0;
  // Returns once every process has called it as often.
  virtual void fence() = 0;
  // What process `of` has put under `key` before the last fence(). Throws when there is nothing.
  virtual std::string get(ProcessId of, std::string_view key) = 0;
  // The same of every process, by their numbers, where possible in one question: get() of all by all takes a time that
  // grows with the square of their number.
  virtual std::vector<std::string> get_all(std::string_view key) {
    std::vector<std::string> values;
    for (std::uint32_t p = 0; p < processes(); ++p) {
      values.push_back(get(ProcessId{p}, key));
    }
    return values;
  }

  // The regular end of this process: afterwards its exit ends the job no more.
  virtual void finish() = 0;
  // Asks the launcher to end the job's other processes; returns if it cannot. The caller has said why.
  virtual void abort(int code) = 0;
  // The same for a signal handler, which has said why: the job's exit code is `code` then, even where the launcher
  // would take that of a process which it kills because this one ends. Returns where the launcher has no way to be told
  // by a handler. Async-signal-safe.
  virtual void abort_from_handler(int /*code*/) {}

  // The ranks that live in this process, such as "0-3,8": what a launcher that can say so names when it dies.
  virtual void announce_ranks(std::string_view /*ranks*/) {}

  // To a launcher that starts a job again (--survive). An image of all ranks is whole, which step `step` has written to
  // these files of ImagesAddress, 0 or 1; no rank has gone on. Not empty: it goes to this folder of checkpoints, too.
  virtual void image_is_whole(std::uint32_t /*image*/, std::uint64_t /*step*/, const std::string& /*folder*/) {}
  // Before an image is written: whether these files may be written over now, or whether images are still on their way
  // to other hosts or to a disk.
  virtual bool may_write_image(std::uint32_t /*image*/) { return true; }
  // The job is to go on with these processes from a later image on: hosts are made ready for them. Any thread.
  virtual void prepare_change(const std::vector<NextProcess>& /*processes*/) {}
  // Whether they are: an empty text where the job can go on with these now, kHostsAreNotReady, or why it never can.
  virtual std::string may_change(const std::vector<NextProcess>& /*processes*/) { return {}; }
  // Hosts that want to be left.
  virtual std::vector<std::string> leaving_hosts() { return {}; }
  // After image_is_whole(): the job goes on from this image with these processes. This process is about to be killed,
  // and the ranks must stay where they are.
  virtual void change_processes(const std::vector<NextProcess>& /*processes*/) {}
  // All ranks go on from the image that the processes were started with.
  virtual void ranks_resumed() {}
  // To a launcher that tells the others when a process dies (--survive api); null elsewhere.
  virtual NoticeConnection* notices() { return nullptr; }
  // A fatal signal is being handled: where, and whether another process has sent it. Any thread; signal-safe.
  virtual void note_crash(std::string_view /*site*/, bool /*from_outside*/) {}
};

// The launcher that started this process, by its environment: PMIx (PMIX_RANK), PMI-1 (PMI_FD, PMI_PORT), Weft's own
// (WEFT_BOOTSTRAP, which wins); else a job of one process. What the environment says is taken out of it, so that the
// ranks' own programs do not find it. Throws std::runtime_error when the launcher cannot be reached.
std::unique_ptr<Bootstrap> connect();

// Whether a launcher has started this process. Changes nothing.
bool is_launched();
// Whether Weft's own launcher has.
bool is_launched_by_weft();
// Takes away what launchers have left in the environment.
void forget_launchers();

}  // namespace weft::bootstrap

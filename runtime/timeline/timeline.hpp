// The job's timeline (options --trace, --otf2 and --record): every process records its part, and process 0 puts the
// parts together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "pup/pup.hpp"
#include "runtime/timeline/recorder.hpp"
#include "trace/manifest.hpp"
#include "trace/merge.hpp"
#include "trace/sequence.hpp"

namespace weft::runtime {
inline namespace timeline {

// The core to which a worker's thread is bound; -1: none.
struct WorkerCore {
  std::int64_t core = -1;
  std::uint32_t numa = 0;
  void pup(pup::Puper& p) { p | core | numa; }
};

struct TimelineOptions {
  std::string file;            // for the viewers of Chrome and Perfetto; empty: none
  std::string folder;          // for an OTF2 archive, seen by all processes; empty: none
  std::string recording;       // the folder of a recording for the simulator, likewise
  std::size_t most_bytes = 0;  // of each worker's events, in memory
};

// Made before the workers run. recorder() is for the worker's own thread; the other functions say which thread may call
// them.
class Timeline {
 public:
  Timeline(TimelineOptions options, ProcessId process, std::uint32_t workers, std::uint32_t host);

  Recorder& recorder(std::uint32_t worker) { return *recorders_[worker]; }
  // Any thread. Records a balancing step that began at `begin`, in ticks, and is over now, and the imbalance that it
  // found, in percent.
  void record_step(const std::string& what, std::uint64_t begin, std::int64_t imbalance);

  // Once no worker runs any more: this process's part, or where it is, to be sent to process 0.
  std::vector<std::byte> part(std::vector<WorkerCore> cores);
  // On process 0, any thread. add_part(): a process has sent its part(). parts(): how many have come so far.
  void add_part(ProcessId from, std::span<const std::byte> part);
  std::uint32_t parts() const;
  // On process 0, once all parts have been received: writes the files. `manifest` has what a recording contains about
  // the whole job. Prints what is not in the trace, or why it could not be written, to standard error.
  void write(trace::Manifest manifest);

 private:
  struct ReceivedTrace {
    trace::ProcessFiles files;
    trace::ProcessTrace part;  // without a folder
    std::vector<trace::RecordedFile> recorded;
    std::vector<WorkerCore> cores;
    bool is_truncated = false;
  };

  RecorderOptions recorder_options(std::uint32_t worker) const;
  // The folder of the parts until the files are written, or for good; empty: they are in memory.
  const std::string& parts_folder() const { return options_.recording.empty() ? options_.folder : options_.recording; }
  static std::string part_name(ProcessId process, std::uint32_t worker);
  std::string part_file(ProcessId process, std::uint32_t worker) const;
  void warn_of_truncation() const;
  void write_chrome(std::vector<trace::ProcessTrace> parts) const;
  void write_archive(const std::vector<trace::ProcessFiles>& parts) const;
  void write_recording(trace::Manifest manifest, std::vector<ReceivedTrace> parts) const;

  const TimelineOptions options_;
  const ProcessId process_;
  trace::ClockReading began_;
  const std::uint32_t host_;
  std::vector<std::unique_ptr<Recorder>> recorders_;

  mutable std::mutex mutex_;  // guards what follows
  Recorder steps_;
  std::vector<std::optional<ReceivedTrace>> parts_;  // by process
};

}  // namespace timeline
}  // namespace weft::runtime

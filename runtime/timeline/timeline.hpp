// The job's timeline (options --trace, --otf2 and --record): every process writes down its part, process 0 puts them
// together.
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

// Where a worker's thread is bound to; -1: nowhere.
struct WorkerCore {
  std::int64_t core = -1;
  std::uint32_t numa = 0;
  void pup(pup::Puper& p) { p | core | numa; }
};

struct TimelineOptions {
  std::string file;            // for the viewers of Chrome and Perfetto; empty: none
  std::string folder;          // for an OTF2 archive, one that all processes see; empty: none
  std::string recording;       // a folder for what the simulator reads, likewise
  std::size_t most_bytes = 0;  // of each worker's events, in memory
};

class Timeline {
 public:
  Timeline(TimelineOptions options, ProcessId process, std::uint32_t workers, std::uint32_t host);

  Recorder& recorder(std::uint32_t worker) { return *recorders_[worker]; }
  // The job was busy with `what` for so many ticks until now; and found this imbalance, in percent. Any thread.
  void step(const std::string& what, std::uint64_t begin, std::int64_t imbalance);

  // What is sent to process 0 once no worker runs any more: this process's part, or where it is.
  std::vector<std::byte> part(std::vector<WorkerCore> cores);
  // On process 0. Any thread.
  void add_part(ProcessId from, std::span<const std::byte> part);
  std::uint32_t parts() const;
  // When all have been received. `manifest` has what a recording says of the whole job. Lines to standard error say
  // what is not in the trace, or why it could not be written.
  void write(trace::Manifest manifest);

 private:
  struct ReceivedTrace {
    trace::PartFiles files;
    trace::ProcessTrace part;  // without a folder
    std::vector<trace::RecordedFile> recorded;
    std::vector<WorkerCore> cores;
    bool cut = false;
  };

  Recording recording(std::uint32_t worker) const;
  // Where the parts lie until they are written, or for good; empty: in memory.
  const std::string& parts_folder() const { return options_.recording.empty() ? options_.folder : options_.recording; }
  static std::string part_name(ProcessId process, std::uint32_t worker);
  std::string part_file(ProcessId process, std::uint32_t worker) const;
  void complain_of_cut() const;
  void write_chrome(std::vector<trace::ProcessTrace> parts) const;
  void write_archive(const std::vector<trace::PartFiles>& parts) const;
  void write_recording(trace::Manifest manifest, std::vector<ReceivedTrace> parts) const;

  const TimelineOptions options_;
  const ProcessId process_;
  trace::Moment began_;
  const std::uint32_t host_;
  std::vector<std::unique_ptr<Recorder>> recorders_;

  mutable std::mutex mutex_;  // guards what follows
  Recorder steps_;
  std::vector<std::optional<ReceivedTrace>> parts_;  // by process
};

}  // namespace timeline
}  // namespace weft::runtime

// The job's timeline (options --trace and --otf2): every process writes down its part, process 0 puts them together.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "runtime/timeline/recorder.hpp"
#include "trace/merge.hpp"
#include "trace/sequence.hpp"

namespace weft::runtime {

struct TimelineOptions {
  std::string file;            // for the viewers of Chrome and Perfetto; empty: none
  std::string folder;          // for an OTF2 archive, one that all processes see; empty: none
  std::size_t most_bytes = 0;  // of each worker's events, in memory
};

class Timeline {
 public:
  Timeline(TimelineOptions options, ProcessId process, std::uint32_t workers, std::uint32_t host);

  Recorder& recorder(std::uint32_t worker) { return *recorders_[worker]; }
  // The job was busy with `what` for so many ticks until now; and found this imbalance, in percent. Any thread.
  void step(const std::string& what, std::uint64_t begin, std::int64_t imbalance);

  // What process 0 is told, once no worker runs any more: this process's part, or where it is.
  std::vector<std::byte> part();
  // On process 0. Any thread.
  void add_part(ProcessId from, std::span<const std::byte> part);
  std::uint32_t parts() const;
  // When all have been received. Lines to standard error say what is not in the trace, or why it could not be written.
  void write();

 private:
  struct ProcessPart {
    trace::PartFiles files;
    trace::Part part;  // without a folder
    bool cut = false;
  };

  Recording recording(std::uint32_t worker) const;
  std::string part_file(ProcessId process, std::uint32_t worker) const;
  void write_chrome(std::vector<trace::Part> parts) const;
  void write_archive(const std::vector<trace::PartFiles>& parts) const;

  const TimelineOptions options_;
  const ProcessId process_;
  trace::Moment began_;
  const std::uint32_t host_;
  std::vector<std::unique_ptr<Recorder>> recorders_;

  mutable std::mutex mutex_;  // guards what follows
  Recorder steps_;
  std::vector<std::optional<ProcessPart>> parts_;  // by process
};

}  // namespace weft::runtime

// The job's timeline (option --trace): every process writes down its part, process 0 makes one file of all.
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

namespace weft::runtime {

class Timeline {
 public:
  // `most_bytes`: of each worker's events in memory.
  Timeline(std::uint32_t workers, std::uint32_t host, std::size_t most_bytes);

  Recorder& recorder(std::uint32_t worker) { return *recorders_[worker]; }
  // The job was busy with `what` for so many ticks until now; and found this imbalance, in percent. Any thread.
  void step(const std::string& what, std::uint64_t begin, std::int64_t imbalance);

  // What process 0 is told, once no worker runs any more: this process's part.
  std::vector<std::byte> part();
  // On process 0. Any thread.
  void hear(ProcessId from, std::span<const std::byte> part);
  std::uint32_t heard() const;
  // When all have been heard: writes FILE for the viewers of Chrome and Perfetto. Lines to standard error say what is
  // not in it, or why it could not be written.
  void write(const std::string& file);

 private:
  trace::Moment began_;
  const std::uint32_t host_;
  std::vector<std::unique_ptr<Recorder>> recorders_;

  mutable std::mutex mutex_;  // guards what follows
  Recorder steps_;
  std::vector<std::optional<trace::Part>> parts_;  // by process
  bool cut_ = false;                               // a worker's memory was full
};

}  // namespace weft::runtime

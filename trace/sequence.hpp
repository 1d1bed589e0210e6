// The events of all workers of a job, in the order in which they happened.
#pragma once

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/clock.hpp"
#include "trace/source.hpp"

namespace weft::trace {

// What one process has written: a file for each worker, and one for events of the job.
struct PartFiles {
  Clock clock;
  std::string host_name;
  std::vector<std::string> workers;
  std::string job;
};

// Merges by time; but a rank's events on a worker never come before it has moved there, whatever the clocks say.
class Sequence {
 public:
  // Throws Error when a file cannot be read. `names` must outlive this.
  Sequence(const std::vector<PartFiles>& parts, Names& names);

  // False at the end. `worker` is counted through all processes; that of the job's events is worker_count() plus the
  // process. Times are the first process's ticks. Throws Error.
  bool next(std::uint32_t& worker, Event& event);
  std::uint32_t worker_count() const { return workers_; }

 private:
  struct WorkerEvents {
    Source source;
    Translation clock;
    Event head;
  };
  using Turn = std::pair<std::uint64_t, std::uint32_t>;  // time, stream

  void add(const std::string& file, const Translation& clock, Names& names);
  bool advance(std::uint32_t stream);
  bool is_away(std::uint32_t stream) const;
  void note_place(std::uint32_t stream, const Event& event);

  std::uint32_t workers_ = 0;
  std::vector<WorkerEvents> streams_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::unordered_map<std::uint32_t, std::uint32_t> place_;                 // by rank: its worker
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> waiting_;  // by rank: streams it has not come to yet
};

}  // namespace weft::trace
